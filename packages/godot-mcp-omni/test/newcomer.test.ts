import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childEnvironment, writeFiles } from "./server-project.ts";

/** The first use of the server: each command in a separate process, with an empty home. */

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-newcomer-")));
  writeFiles(base, {
    "home/.keep": "",
    "game/project.godot": 'config_version=5\n\n[application]\n\nconfig/name="Game"\n',
    "old/project.godot": 'config_version=4\n\n[application]\n\nconfig/name="Old"\n',
  });
  // Answers as Godot 3 does.
  writeFileSync(path.join(base, "godot3"), "#!/bin/sh\necho 3.5.stable.official.991bb6ac7\n", {
    mode: 0o755,
  });
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const CLI = path.join(import.meta.dirname, "../src/main.ts");
const server = [process.execPath, "--conditions=toolpact-source", CLI];

/** Runs a program in the base folder; the key is pressed once the screen shows what it answers. */
function run(
  [program = "", ...args]: readonly string[],
  key?: readonly [shows: string, key: string],
): Promise<Ended> {
  const env = { ...childEnvironment(base), GODOT_PATH: undefined, NO_COLOR: "1" };
  const child = spawn(program, args, { env, cwd: base });
  let [out, err, isPressed] = ["", "", false];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
    if (key === undefined || isPressed || !out.includes(key[0])) return;
    isPressed = true;
    child.stdin.write(key[1]);
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes;
  });
  if (key === undefined) child.stdin.end();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

/** Mistakes, with the reported line and the exit code. */
const slips: readonly {
  readonly when: string;
  readonly words: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly code: 1 | 2;
  readonly line: RegExp;
}[] = [
  {
    when: "there is no project",
    words: "setup --client cursor --yes",
    code: 1,
    line: /nor a folder above it has a project\.godot\. .*--project/,
  },
  {
    when: "the folder named is not there",
    words: "--project nowhere setup --client cursor --yes",
    code: 1,
    line: /^There is no folder .*nowhere\. .*--project FOLDER/,
  },
  { when: "a command is mistyped", words: "doctr", code: 2, line: /Did you mean doctor\?/ },
  {
    when: "an option is mistyped",
    words: "--projct game doctor",
    code: 2,
    line: /no option --projct here\. Did you mean --project\?/,
  },
  {
    when: "a toolset is mistyped",
    words: "--project game --toolsets scen serve",
    code: 2,
    line: /Did you mean scene\?/,
  },
  {
    when: "a tool is mistyped",
    words: "--project game call godot_scen",
    code: 2,
    line: /Did you mean `godot_scene`\?/,
  },
  {
    when: "a tool's arguments are not JSON",
    words: "--project game call godot_scene --json {action:status}",
    code: 2,
    line: /^--json is not a JSON object\. Write it in single quotes/,
  },
  {
    when: "the settings file is not JSON",
    words: "--project game --config settings.json doctor",
    files: { "settings.json": "{ bad" },
    code: 1,
    line: /settings\.json is not JSON\./,
  },
  {
    when: "a setting is mistyped",
    words: "--project game --config settings.json doctor",
    files: { "settings.json": '{ "readOnyl": true }' },
    code: 2,
    line: /unknown setting: readOnyl\. Did you mean readOnly\?/,
  },
  {
    when: "the settings file cannot be read",
    words: "--project game --config home doctor",
    code: 1,
    line: /home cannot be read \(EISDIR\)\./,
  },
  {
    when: "a workflow is not JSON",
    words: "--project game workflow run steps.json",
    files: { "steps.json": "not\njson" },
    code: 1,
    line: /^steps\.json is not JSON: /,
  },
  {
    when: "a client's file is broken",
    words: "--project game setup --client vscode --yes",
    files: { "home/.config/Code/User/mcp.json": '{ "servers": ' },
    code: 1,
    line: /mcp\.json is neither JSON nor JSON with comments, so it was left alone\. Add this by hand:/,
  },
];

describe("one line says what is wrong and what to do", () => {
  it.each(slips)("when $when", async ({ words, files = {}, code, line }) => {
    writeFiles(base, files);
    const ended = await run([...server, ...words.split(" ")]);
    const [first = ""] = ended.err.split("\n");
    expect(first).toMatch(/^godot-mcp-omni: /);
    expect(first.slice("godot-mcp-omni: ".length)).toMatch(line);
    expect(ended.err).not.toMatch(/^ {4}at /m);
    expect(ended).toMatchObject({ code, out: "" });
    // Nothing that was there has changed.
    for (const [file, content] of Object.entries(files))
      expect(readFileSync(path.join(base, file), "utf8")).toBe(content);
  });

  it.each([
    [
      "the Godot named is not there",
      "--project game --godot nowhere/godot doctor",
      /nowhere\/godot, is not there .* --godot FILE, or GODOT_PATH/,
    ],
    [
      "the Godot named is Godot 3",
      "--project game --godot ./godot3 doctor",
      /is Godot 3\.5\.stable; Godot 4 is needed/,
    ],
    ["the project is one of Godot 3", "--project old doctor", /old is a project of Godot 3\. .* converts it/],
  ])("of the doctor when %s", async (_when, words, line) => {
    const ended = await run([...server, ...words.split(" ")]);
    expect(ended).toMatchObject({ code: 1, err: "" });
    expect(ended.out.split("\n").filter((row) => row.startsWith("| ✗ |"))).toEqual([
      expect.stringMatching(line),
    ]);
  });

  it("when the port is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    try {
      const address = taken.address();
      const port = typeof address === "object" ? address?.port : undefined;
      expect(await run([...server, "--project", "game", "serve", "--http", String(port)])).toEqual({
        code: 1,
        out: "",
        err: `godot-mcp-omni: Port ${port} is taken. Name another: --http [HOST:]PORT.\n`,
      });
    } finally {
      taken.close();
    }
  });

  it("when Node is too old", async () => {
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const bin = path.join(import.meta.dirname, "../bin/godot-mcp-omni.js");
    const ended = await run([
      process.execPath,
      "--import",
      `data:text/javascript,${encodeURIComponent(older)}`,
      bin,
    ]);
    expect(ended).toEqual({
      code: 1,
      out: "",
      err: "godot-mcp-omni needs Node 22.18 or newer; this is 20.20.2.\n",
    });
  });
});

/** `script` of util-linux gives a program a terminal. */
const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;
if (!hasTerminal) console.warn("There is no `script` of util-linux: Ctrl-C at a question is not tested.");

describe.runIf(hasTerminal)("at a prompt of setup", () => {
  it("Ctrl-C leaves setup with 130, and nothing is written", async () => {
    const command = [...server, "--project game setup --client cursor"].join(" ");
    const question = "[y/N] ";
    const ended = await run(
      ["script", "--quiet", "--return", "--flush", "--command", command, "/dev/null"],
      [question, "\u0003"],
    );
    expect(ended.code).toBe(130);
    expect(ended.out.slice(ended.out.indexOf(question) + question.length)).not.toMatch(/[a-z]{3}/i);
    expect(existsSync(path.join(base, "home/.cursor"))).toBe(false);
  });
});

it.skipIf(process.platform === "win32")(
  "prints a command that trusts the project, to be pasted as it is",
  async () => {
    writeFiles(base, { "my game's/project.godot": "config_version=5\n" });
    const game = path.join(base, "my game's");
    const doctor = () => run([...server, "--project", game, "doctor"]);
    const refused = await run([
      ...server,
      "--project",
      game,
      "call",
      "godot_game",
      "--json",
      '{"action":"run"}',
    ]);
    const command: string = JSON.parse(refused.out).error.details.command;
    expect((await doctor()).out).toContain(command);
    // The sources need the condition that a built program does not.
    const pasted = await run(["env", "NODE_OPTIONS=--conditions=toolpact-source", "sh", "-c", command]);
    expect(pasted).toMatchObject({ code: 0, out: expect.stringContaining(`${game} is trusted`) });
    expect((await doctor()).out).toContain("Trusted: Godot may open");
  },
);
