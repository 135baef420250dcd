import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

/** The first experience of a new user: each command in a separate process, in an empty home. */

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-newcomer-")));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; `keys` are pressed once the screen shows what they answer. */
function run(
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
  keys: readonly [shows: string, key: string] | undefined = undefined,
): Promise<Ended> {
  const child = spawn(program, args, { env: cleanEnv(home, env), cwd: home });
  let [out, err, isPressed] = ["", "", false];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
    if (keys === undefined || isPressed || !out.includes(keys[0])) return;
    isPressed = true;
    child.stdin.write(keys[1]);
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes;
  });
  if (keys === undefined) child.stdin.end();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

const tuitbot = [tuitbotCommand.command, ...tuitbotCommand.args];

function give(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content, { mode: 0o600 });
}

/** The mistake, the line that reports it, and the exit code. */
const slips: readonly {
  readonly when: string;
  readonly words: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly code: 1 | 2;
  readonly line: string | RegExp;
}[] = [
  {
    when: "nobody is signed in",
    words: "mcp serve",
    code: 1,
    line: "Nobody is signed in to X. Run `tuitbot auth login`, or try it without: tuitbot mcp serve --sandbox.",
  },
  {
    when: "no app of X is named",
    words: "auth login",
    code: 1,
    line: /^x_api\.client_id is not set\. Make an app in X's developer console/,
  },
  {
    when: "the file with the tokens holds none",
    words: "auth status",
    files: { ".tuitbot/tokens.json": "garbage" },
    code: 1,
    line: "The file with the X tokens does not hold tokens: delete it and sign in again.",
  },
  ...["garbage", "", "{}", "[]", '{"version":1,"access_token":12}'].map((content) => ({
    when: `the file with the tokens holds ${JSON.stringify(content)}, a server does not start`,
    words: "mcp serve",
    files: { ".tuitbot/tokens.json": content },
    code: 1 as const,
    line: "The file with the X tokens does not hold tokens. Run `tuitbot auth login` to sign in again.",
  })),
  {
    when: "the variable of the sandbox is misspelt",
    words: "mcp serve",
    env: { TUITBOT_SANDBOX: "ture" },
    code: 1,
    line: /TUITBOT_SANDBOX must be true, false or until_signed_in\./,
  },
  {
    when: "a command is mistyped",
    words: "dmeo",
    code: 2,
    line: /^There is no command "dmeo"\. Did you mean demo\?/,
  },
  { when: "an option is mistyped", words: "demo --fsat", code: 2, line: /Did you mean --fast\?/ },
  {
    when: "an option before the command is mistyped",
    words: "--cofig a.toml doctor",
    code: 2,
    line: /Did you mean --config\?/,
  },
  {
    when: "a profile is mistyped",
    words: "mcp serve --profile raedonly",
    code: 2,
    line: /Did you mean readonly\?/,
  },
  {
    when: "a client is mistyped",
    words: "mcp setup --client curser",
    code: 2,
    line: /Did you mean cursor\?/,
  },
  {
    when: "the configuration is not TOML",
    words: "mcp serve --sandbox",
    files: { ".tuitbot/config.toml": "x_api = " },
    code: 1,
    line: /config\.toml is wrong: Line 1, column 9 is not TOML/,
  },
  {
    when: "a setting is mistyped",
    words: "mcp serve --sandbox",
    files: { ".tuitbot/config.toml": '[x_api]\nclient_idd = "a"\n' },
    code: 1,
    line: /x_api\.client_idd is not a setting\. Did you mean x_api\.client_id\?/,
  },
  {
    when: "a variable has a value of the wrong type",
    words: "mcp serve --sandbox",
    env: { TUITBOT_SERVER__PORT: "many" },
    code: 1,
    line: /server\.port must be a number \(set by TUITBOT_SERVER__PORT\)/,
  },
  {
    when: "the database is no database",
    words: "backup",
    files: { ".tuitbot/tuitbot.db": "garbage ".repeat(200) },
    code: 1,
    line: /tuitbot\.db cannot be used: file is not a database\./,
  },
  {
    when: "the file to restore is not there",
    words: "restore old.db",
    code: 1,
    line: /^There is no file .*old\.db\./,
  },
  {
    when: "a client's file is broken",
    words: "mcp setup --client codex --yes",
    files: { ".codex/config.toml": 'model = "x' },
    code: 1,
    line: /config\.toml is not TOML, so it was left alone\. Add this by hand:/,
  },
  {
    when: "a client's folder cannot be made",
    words: "mcp setup --client cursor --yes",
    files: { ".cursor": "" },
    code: 1,
    line: /mcp\.json cannot be read \(ENOTDIR\)\./,
  },
];

describe("one line says what is wrong and what to do", () => {
  test.each(slips)("when $when", async ({ words, files = {}, env, code, line }) => {
    for (const [path, content] of Object.entries(files)) give(path, content);
    const ended = await run([...tuitbot, ...words.split(" ")], env);
    const [first = ""] = ended.err.split("\n");
    expect(first).toMatch(/^tuitbot: /);
    expect(first.slice("tuitbot: ".length)).toMatch(line);
    expect(ended.err).not.toMatch(/^ {4}at /m);
    expect(ended).toMatchObject({ code, out: "" });
    // Nothing that was there has changed.
    for (const [path, content] of Object.entries(files))
      expect(readFileSync(join(home, path), "utf8")).toBe(content);
  });

  test("when the port is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    try {
      const address = taken.address();
      const port = typeof address === "object" ? address?.port : undefined;
      expect(await run([...tuitbot, "mcp", "serve", "--sandbox", "--http", String(port)])).toEqual({
        code: 1,
        out: "",
        err: `tuitbot: Port ${port} is taken. Name another: --http [HOST:]PORT.\n`,
      });
    } finally {
      taken.close();
    }
  });

  test.runIf(existsSync("/dev/full"))("when the disk is full", async () => {
    expect(await run(["sh", "-c", 'exec "$@" > /dev/full', "sh", ...tuitbot, "--help"])).toEqual({
      code: 1,
      out: "",
      err: "tuitbot: The output cannot be written (ENOSPC).\n",
    });
  });

  test("when Node is too old", async () => {
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const bin = new URL("../bin/tuitbot.js", import.meta.url).pathname;
    const ended = await run([
      process.execPath,
      "--import",
      `data:text/javascript,${encodeURIComponent(older)}`,
      bin,
    ]);
    expect(ended).toEqual({
      code: 1,
      out: "",
      err: "tuitbot needs Node 22.18 or newer; this is 20.20.2.\n",
    });
  });
});

test("a client's file asks for the sandbox until somebody signs in: then the account is served", async () => {
  const answer = async () => {
    const client = new Client({ name: "newcomer", version: "1" });
    const env = cleanEnv(home, { TUITBOT_SANDBOX: "until_signed_in" });
    const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const { command, args } = tuitbotCommand;
    await client.connect(
      new StdioClientTransport({
        command,
        args: [...args, "mcp", "serve"],
        env: Object.fromEntries(given),
        cwd: home,
        stderr: "ignore",
      }),
    );
    const { structuredContent } = await client.callTool({ name: "x_get_me", arguments: {} });
    await client.close();
    return structuredContent;
  };
  expect(await answer()).toMatchObject({ success: true });
  // Looks like tokens at the start, and is none.
  give(".tuitbot/tokens.json", '{"access_token":"t"}');
  expect(await answer()).toMatchObject({
    success: false,
    error: { code: "x_not_configured", message: expect.stringContaining("does not hold tokens") },
  });
});

test("a reader that goes away ends the command without a word", async () => {
  expect(await run(["sh", "-c", '"$@" | true', "sh", ...tuitbot, "mcp", "manifest"])).toMatchObject({
    err: "",
  });
});

/** `script` of util-linux gives a program a terminal. */
const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;
if (!hasTerminal) console.warn("There is no `script` of util-linux: Ctrl-C at a question is not tested.");

describe.runIf(hasTerminal)("at a question", () => {
  const CTRL_C = "\u0003";
  const CTRL_D = "\u0004";

  function onTerminal(
    words: string,
    keys: readonly [string, string],
    env?: NodeJS.ProcessEnv,
  ): Promise<Ended> {
    const command = [...tuitbot, words].join(" ");
    return run(["script", "--quiet", "--return", "--flush", "--command", command, "/dev/null"], env, keys);
  }

  test.each([
    ["mcp setup --client cursor", "[y/a/N] "],
    ["auth login --manual", "The address: "],
  ])("Ctrl-C leaves %s with 130, and nothing is written", async (words, question) => {
    const ended = await onTerminal(words, [question, CTRL_C], { TUITBOT_X_API__CLIENT_ID: "mine" });
    expect(ended.code).toBe(130);
    expect(ended.out.slice(ended.out.indexOf(question) + question.length)).not.toMatch(/[a-z]{3}/i);
    expect(existsSync(join(home, ".cursor"))).toBe(false);
    expect(existsSync(join(home, ".tuitbot/tokens.json"))).toBe(false);
  });

  test("Ctrl-D is a no", async () => {
    const ended = await onTerminal("mcp setup --client cursor", ["[y/a/N] ", CTRL_D]);
    expect(ended.code).toBe(0);
    expect(ended.out).toContain("Nothing was written. Add --yes to write it.");
  });
});
