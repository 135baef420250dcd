import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { testApp } from "./command-line.ts";

const files: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  cursor: ".cursor/mcp.json",
  vscode: ".config/Code/User/mcp.json",
  codex: ".codex/config.toml",
  opencode: ".config/opencode/opencode.json",
  "gemini-cli": ".gemini/settings.json",
  "qwen-code": ".qwen/settings.json",
  antigravity: ".gemini/antigravity/mcp_config.json",
  "copilot-cli": ".copilot/mcp-config.json",
  devin: ".config/devin/mcp_config.json",
  zed: ".config/zed/settings.json",
  cline: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
  "roo-code": ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
  kiro: ".kiro/settings/mcp.json",
  junie: ".junie/mcp/mcp.json",
  "lm-studio": ".lmstudio/mcp.json",
  warp: ".warp/.mcp.json",
};

const node = "/usr/bin/node";

/** The member of each file that holds the servers, as the client's documentation names it. */
const members: Readonly<Record<string, string>> = {
  vscode: "servers",
  codex: "mcp_servers",
  opencode: "mcp",
  zed: "context_servers",
};

test.each(Object.entries(files))("%s: shown first, written when the person agrees", async (id, path) => {
  await using desk = testApp();
  const file = join(desk.home, path);
  const shown = await desk.run(["mcp", "setup", "--client", id], { typed: () => "n" });
  expect(shown.out).toContain(file);
  expect(shown.out).toContain('"mcp"');
  expect(shown.out).toContain("Nothing was written.");
  expect(existsSync(file)).toBe(false);

  const agreed = await desk.run(["mcp", "setup", "--client", id], { typed: () => "y" });
  expect(agreed.code).toBe(0);
  const written = readFileSync(file, "utf8");
  for (const word of ["tuitbot", "/usr/bin/node", "/opt/tuitbot/bin/tuitbot.js", "serve"])
    expect(written).toContain(word);
  expect((await desk.run(["mcp", "setup", "--client", id])).out).toContain("Nothing to do.");
});

test.each(Object.entries(files))("%s: other servers and settings stay", async (id, path) => {
  await using desk = testApp();
  const file = join(desk.home, path);
  mkdirSync(dirname(file), { recursive: true });
  const member = members[id] ?? "mcpServers";
  const isToml = path.endsWith("toml");
  writeFileSync(
    file,
    isToml
      ? `theme = "dark"\n\n[${member}.other]\ncommand = "x"\n`
      : JSON.stringify({ theme: "dark", [member]: { other: { command: "x" } } }),
  );
  expect((await desk.run(["mcp", "setup", "--client", id, "--yes"])).code).toBe(0);
  const text = readFileSync(file, "utf8");
  const after = isToml ? structuredClone(parse(text)) : JSON.parse(text);
  expect(after).toMatchObject({
    theme: "dark",
    [member]: {
      other: { command: "x" },
      tuitbot: { command: id === "opencode" ? expect.arrayContaining([node]) : node },
    },
  });
  expect(Object.keys(after)).toEqual(["theme", member]);
});

test("mcp setup finds each of its 18 clients by its folder", async () => {
  await using desk = testApp();
  for (const path of Object.values(files)) {
    const file = join(desk.home, path);
    mkdirSync(dirname(file), { recursive: true });
    if (dirname(file) === desk.home) writeFileSync(file, "{}");
  }
  const found = await desk.run(["mcp", "setup", "--output", "json"]);
  // The command's report for programs.
  const { clients } = found.json() as { readonly clients: readonly { readonly client: string }[] };
  expect(clients.map(({ client }) => client).toSorted()).toEqual(Object.keys(files).toSorted());
  expect(clients).toHaveLength(18);
});

describe("the everyday tools", () => {
  test("are what the list shows; all of them are offered with their number, and written for who chooses them", async () => {
    const questions: string[] = [];
    const args = async (typed: string) => {
      await using desk = testApp();
      await desk.run(["mcp", "setup", "--client", "cursor"], {
        typed: (question) => {
          questions.push(question);
          return typed;
        },
      });
      const { mcpServers } = JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8"));
      return mcpServers.tuitbot.args.slice(1);
    };
    expect(await args("y")).toEqual(["mcp", "serve", "--list", "everyday"]);
    expect(questions.join()).toMatch(/a: all \d+ tools in the list/);
    expect(await args("a")).toEqual(["mcp", "serve", "--list", "all"]);
  });

  test("are not for clients that search a long list themselves, or never read it again, unless asked for", async () => {
    const listed = async (id: string, ...more: readonly string[]) => {
      await using desk = testApp();
      const questions: string[] = [];
      const typed = (question: string) => {
        questions.push(question);
        return "y";
      };
      await desk.run(["mcp", "setup", "--client", id, ...more], { typed });
      const isShort = readFileSync(join(desk.home, files[id] ?? ""), "utf8").includes("everyday");
      return { isShort, isOffered: questions.join().includes("tools in the list") };
    };
    for (const id of ["claude-code", "codex", "qwen-code"]) {
      expect(await listed(id), id).toEqual({ isShort: false, isOffered: false });
      expect(await listed(id, "--list", "everyday"), id).toEqual({ isShort: true, isOffered: false });
    }
    for (const id of ["opencode", "gemini-cli", "copilot-cli", "claude-desktop", "vscode"]) {
      expect(await listed(id), id).toEqual({ isShort: true, isOffered: true });
      expect(await listed(id, "--list", "all"), id).toEqual({ isShort: false, isOffered: false });
    }
  });

  test("can be asked for without a person; a toolset that is none is refused", async () => {
    await using desk = testApp();
    await desk.run(["mcp", "setup", "--client", "cursor", "--toolsets", "everyday,list", "--yes"]);
    const { mcpServers } = JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8"));
    expect(mcpServers.tuitbot.args.slice(-2)).toEqual(["--toolsets", "everyday,list"]);
    const wrong = await desk.run(["mcp", "setup", "--client", "codex", "--toolsets", "evryday", "--yes"]);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean everyday?") });
    expect(existsSync(join(desk.home, ".codex"))).toBe(false);
  });
});

describe("what the server would lack is said", () => {
  const setup = ["mcp", "setup", "--client", "cursor", "--yes"];

  test("nobody is signed in and there is no file", async () => {
    await using desk = testApp();
    const ran = await desk.run(setup);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("Nobody is signed in to X");
    expect(ran.out).toContain(`There is no ${join(desk.home, ".tuitbot/config.toml")}`);
    expect((await desk.run([...setup, "--output", "json"])).json()).toMatchObject({
      warnings: [expect.stringContaining("There is no"), expect.stringContaining("Nobody is signed in")],
    });
  });

  test("a named file that does not exist, or is wrong", async () => {
    await using desk = testApp();
    expect((await desk.run(["-c", "my.toml", ...setup])).out).toContain("my.toml does not exist");
    writeFileSync(join(desk.home, "my.toml"), "moed = 1\n");
    expect((await desk.run(["-c", "my.toml", ...setup])).out).toContain("Did you mean mode?");
  });

  test("nothing, for the sandbox or once both are there", async () => {
    await using desk = testApp();
    const lack = /There is no|Nobody is signed in/;
    expect((await desk.run([...setup, "--sandbox"])).out).not.toMatch(lack);
    await desk.run(["config", "init"]);
    // A file is no sign-in yet.
    writeFileSync(join(desk.home, ".tuitbot/tokens.json"), "{}");
    expect((await desk.run(setup)).out).toMatch(lack);
    const signedIn = {
      version: 1,
      access_token: "a",
      refresh_token: "r",
      expires_at: Date.now(),
      scopes: [],
    };
    writeFileSync(join(desk.home, ".tuitbot/tokens.json"), JSON.stringify(signedIn), { mode: 0o600 });
    expect((await desk.run(setup)).out).not.toMatch(lack);
  });
});

test("without a person nothing is written unless --yes says so", async () => {
  await using desk = testApp();
  mkdirSync(join(desk.home, ".cursor"));
  expect((await desk.run(["mcp", "setup"])).out).toContain("Add --yes to write it.");
  const ran = await desk.run([
    "mcp",
    "setup",
    "--yes",
    "--profile",
    "readonly",
    "--sandbox",
    "--output",
    "json",
  ]);
  expect(ran.json()).toMatchObject({ written: true, clients: [{ client: "cursor", change: "create" }] });
  const { mcpServers } = JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8"));
  expect(mcpServers.tuitbot.args.slice(1)).toEqual([
    "mcp",
    "serve",
    "--profile",
    "readonly",
    "--sandbox",
    "--speed",
    "60",
  ]);
});

test("programs hear which of several clients could be written", async () => {
  await using desk = testApp();
  mkdirSync(join(desk.home, ".cursor"));
  // In the way of the file that is written first.
  mkdirSync(join(desk.home, ".cursor/mcp.json.new"));
  const clients = ["--client", "cursor", "--client", "codex"];
  const ran = await desk.run(["mcp", "setup", ...clients, "--yes", "--output", "json"]);
  expect(ran.code).toBe(1);
  expect(ran.json()).toMatchObject({
    written: false,
    clients: [
      { client: "cursor", written: false },
      { client: "codex", written: true },
    ],
    problems: [expect.stringContaining("mcp.json cannot be written (EISDIR)")],
  });
});

test.each([
  {
    where: "installed",
    script: "/opt/lib/node_modules/tuitbot/bin/tuitbot.js",
    command: "/opt/bin/node",
    args: ["/opt/lib/node_modules/tuitbot/bin/tuitbot.js"],
  },
  {
    where: "run by npx",
    script: "/home/.npm/_npx/5f1c/node_modules/tuitbot/bin/tuitbot.js",
    command: "npx",
    args: ["-y", "tuitbot"],
  },
])(
  "$where, the client gets what it does not see by itself: the program, the file, the shell's settings, no secrets",
  async ({ script, command, args }) => {
    await using desk = testApp();
    const env = { TUITBOT_X_API__CLIENT_ID: "mine", TUITBOT_LLM__API_KEY: "hunter2" };
    const how = { env, machine: { runtime: "/opt/bin/node", script } };
    await desk.run(["-c", "my.toml", "mcp", "setup", "--client", "cursor", "--yes", "--name", "x"], how);
    expect(JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8")).mcpServers.x).toEqual({
      command,
      args: [...args, "--config", join(desk.home, "my.toml"), "mcp", "serve", "--list", "everyday"],
      env: { TUITBOT_X_API__CLIENT_ID: "mine" },
    });
  },
);

test("finding no client says which there are", async () => {
  await using desk = testApp();
  const ran = await desk.run(["mcp", "setup"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain("claude-code|claude-desktop|cursor|vscode|codex");
});

test("a file that cannot be changed is left alone, and the command prints what to add", async () => {
  await using desk = testApp();
  const file = join(desk.home, ".config/Code/User/mcp.json");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "{ // mine\n");
  const ran = await desk.run(["mcp", "setup", "--client", "vscode", "--yes"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain('"type": "stdio"');
  expect(readFileSync(file, "utf8")).toBe("{ // mine\n");
});
