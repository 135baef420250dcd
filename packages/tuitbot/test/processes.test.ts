import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { everydayTools } from "../src/server/selection.ts";
import { cleanEnv, serveLive, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

let home: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-process-"));
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

function run(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const ran = spawnSync(tuitbotCommand.command, [...tuitbotCommand.args, ...words], {
    env: cleanEnv(home, env),
    encoding: "utf8",
    input: "",
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

describe("a server that cannot work ends at once", () => {
  test("without a sign-in, in one line that says what to run", () => {
    expect(run(["mcp", "serve"])).toEqual({
      code: 1,
      out: "",
      err: "tuitbot: Nobody is signed in to X. Run `tuitbot auth login`, or try it without: tuitbot mcp serve --sandbox.\n",
    });
  });

  test("with a wrong configuration, naming everything", () => {
    mkdirSync(join(home, ".tuitbot"));
    writeFileSync(join(home, ".tuitbot/config.toml"), 'mode = "x"\napproval_mod = true\n');
    const { code, out, err } = run(["mcp", "serve", "--sandbox"], { TUITBOT_SERVER__PORT: "x" });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain('mode must be one of "autopilot", "composer".');
    expect(err).toContain("approval_mod is not a setting. Did you mean approval_mode?");
    expect(err).toContain("(set by TUITBOT_SERVER__PORT)");
  });

  test("with a name in its policy that no tool has, in one line that names the likely one", () => {
    const { code, out, err } = run(["mcp", "serve", "--sandbox"], {
      TUITBOT_MCP_POLICY__BLOCKED_TOOLS: "x_post_twet",
    });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(
      'mcp_policy.blocked_tools names no tool: "x_post_twet". Did you mean x_post_tweet?',
    );
  });

  test("with a profile that is none, or a host that others can reach", () => {
    expect(run(["mcp", "serve", "--profile", "readonlyy"])).toMatchObject({ code: 2, out: "" });
    const open = run(["mcp", "serve", "--sandbox", "--http", "0.0.0.0:0"]);
    expect(open).toMatchObject({ code: 1, out: "" });
    expect(open.err).toContain("token");
  });
});

test.skipIf(process.platform === "win32").each([
  { what: "in a folder that nobody can make", path: () => "/proc/nope/x.db" },
  {
    what: "that is a pipe",
    path: () => {
      const path = join(home, "pipe.db");
      spawnSync("mkfifo", [path]);
      return path;
    },
  },
])("a database $what is reported, and the server still stops on request", async ({ path }) => {
  const sandbox = new Sandbox();
  const database = path();
  const server = await serveLive(["--profile", "write"], {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_STORAGE__DB_PATH: database,
  });
  try {
    expect(await server.call("x_post_tweet", { text: "hello" })).toMatchObject({
      error: { code: "db_error", message: expect.stringContaining(database) },
    });
    const { transport } = server.client;
    if (!(transport instanceof StdioClientTransport) || transport.pid === null) throw new Error("no process");
    const ended = new Promise<void>((resolve) => (server.client.onclose = resolve));
    process.kill(transport.pid, "SIGTERM");
    await ended;
  } finally {
    await server.close();
    await sandbox.close();
  }
});

test("narrowing a profile narrows what a client sees and can call", async () => {
  const server = await serveLive(["--sandbox", "--toolsets", "read,config", "--exclude-tools", "get_config"]);
  try {
    const { tools } = await server.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("x_search_tweets");
    expect(names).toContain("validate_config");
    expect(names).not.toContain("get_config");
    expect(names).not.toContain("x_post_tweet");
    await expect(server.call("x_post_tweet", { text: "hello" })).rejects.toThrow(/Unknown tool/);
  } finally {
    await server.close();
  }
});

describe("the short list", () => {
  test("is the default, and what it leaves out is found, called and switched on", async () => {
    const server = await serveLive(["--sandbox"], {}, []);
    try {
      const { tools } = await server.client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual([...everydayTools(), "find_tools"].sort());
      expect(server.client.getInstructions()).toContain("find_tools finds the other");
      const lists = await server.call("find_tools", { query: "create a list of people", switch_on: false });
      expect(lists.data).toMatchObject({
        tools: expect.arrayContaining([tool("x_v2_lists_create")]),
      });
      // By a search word: neither its name nor its description says "save".
      const saving = await server.call("find_tools", { query: "save for later", switch_on: false });
      expect(saving.data).toMatchObject({
        tools: expect.arrayContaining([tool("x_bookmark_tweet")]),
      });
      // Unlisted tools can be called by name.
      expect(await server.call("x_v2_mutes_list")).toMatchObject({ success: true });
      const changed = new Promise<void>((resolve) =>
        server.client.setNotificationHandler("notifications/tools/list_changed", () => resolve()),
      );
      const found = await server.call("find_tools", { query: "moderation" });
      expect(found.data).toMatchObject({
        tools: expect.arrayContaining([tool("x_v2_mutes_create")]),
      });
      await changed;
      const after = (await server.client.listTools()).tools.map(({ name }) => name);
      expect(after).toEqual(expect.arrayContaining([...names, "x_v2_mutes_create"]));
      expect(after).not.toContain("x_v2_lists_create");
      // Arguments that few calls need are listed once their tool was looked up, and accepted before.
      const argumentsOf = async (name: string) => {
        const { tools } = await server.client.listTools();
        return Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
      };
      expect(await argumentsOf("x_post_tweet")).not.toContain("poll_options");
      const poll = { text: "Rye or wheat?", poll_options: ["Rye", "Wheat"] };
      expect(await server.call("x_post_tweet", poll)).toMatchObject({ success: true });
      await server.call("find_tools", { query: "x_post_tweet" });
      expect(await argumentsOf("x_post_tweet")).toContain("poll_options");
    } finally {
      await server.close();
    }
  });

  test("has no effect in a profile whose list is short", async () => {
    const server = await serveLive(["--sandbox", "--profile", "readonly", "--list", "everyday"]);
    try {
      expect((await server.client.listTools()).tools).toHaveLength(10);
    } finally {
      await server.close();
    }
  });

  const tool = (name: string) => expect.objectContaining({ name });
});

test("the everyday tools as a limit: a client sees and calls no other", async () => {
  const everyday = await serveLive(["--sandbox", "--toolsets", "everyday"]);
  try {
    const { tools } = await everyday.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...everydayTools()].sort());
    expect(await everyday.call("x_search_tweets", { query: "bread" })).toMatchObject({ success: true });
    await expect(everyday.call("x_v2_mutes_list", {})).rejects.toThrow(/Unknown tool/);
  } finally {
    await everyday.close();
  }
});

test("over HTTP it prints its address and token, serves callers that send it, and stops on Ctrl-C", async () => {
  const child = spawn(
    tuitbotCommand.command,
    [...tuitbotCommand.args, "mcp", "serve", "--sandbox", "--http", "0", "--profile", "readonly"],
    { env: cleanEnv(home), stdio: ["ignore", "pipe", "pipe"] },
  );
  running.push(child);
  const line = await firstMatch(child, /(claude mcp add .*)\n/);
  const [, url = "", token = ""] = /(http:\S+\/mcp) --header "Authorization: (Bearer \S+)"/.exec(line) ?? [];
  const client = new Client({ name: "tester", version: "1" });
  await expect(client.connect(new StreamableHTTPClientTransport(new URL(url)))).rejects.toThrow();
  const requestInit = { headers: { authorization: token } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  expect(statSync(join(home, ".tuitbot/server.token")).mode & 0o777).toBe(0o600);
  expect((await client.listTools()).tools).toHaveLength(10);
  const { structuredContent } = await client.callTool({ name: "health_check", arguments: {} });
  expect(structuredContent).toMatchObject({ success: true, data: { status: "ok" } });
  await client.close();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a server that keeps a database ends on %s without a word, and what it measured is kept",
  async (signal) => {
    const sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
    const env = await signedInEnv(home, sandbox);
    const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "mcp", "serve", "--http", "0"], {
      env: cleanEnv(home, { ...env, TUITBOT_SERVER__TOKEN: "a-token-of-the-operator" }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    let said = "";
    child.stderr.on("data", (part: Buffer) => (said += part.toString()));
    const url = await firstMatch(child, /(http:\/\/\S+\/mcp)/);
    const client = new Client({ name: "tester", version: "1" });
    const requestInit = { headers: { authorization: "Bearer a-token-of-the-operator" } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    await client.callTool({ name: "x_post_tweet", arguments: { text: "To be approved" } });
    await client.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(said).toBe("");
    await sandbox.close();
    const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { readOnly: true });
    expect(database.prepare("select tool from telemetry").all()).toEqual([{ tool: "x_post_tweet" }]);
    database.close();
  },
);

test("the sandbox serves any client of X", async () => {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "sandbox", "--output", "json"], {
    env: cleanEnv(home),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const { url, access_token } = JSON.parse(await firstMatch(child, /(\{.*\})/));
  const answer = await fetch(`${url}/2/users/me`, { headers: { authorization: `Bearer ${access_token}` } });
  expect(await answer.json()).toMatchObject({ data: { username: "sandbox_owner" } });
});

describe("the installed command", () => {
  const bin = new URL("../bin/tuitbot.js", import.meta.url).pathname;

  test("in a checkout that was not built says so", () => {
    mkdirSync(join(home, "bin"));
    writeFileSync(join(home, "package.json"), '{"type":"module"}');
    copyFileSync(bin, join(home, "bin/tuitbot.js"));
    const ran = spawnSync(process.execPath, [join(home, "bin/tuitbot.js")], { encoding: "utf8" });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("npm run build");
  });

  test.each(["20.19.0", "22.17.1"])("on Node %s says what it needs, in one line", (version) => {
    const older = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
    const ran = spawnSync(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(older)}`, bin],
      {
        encoding: "utf8",
      },
    );
    expect(ran.status).toBe(1);
    expect(ran.stderr).toBe(`tuitbot needs Node 22.18 or newer; this is ${version}.\n`);
  });
});

function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`ended after: ${text}`)));
  });
}
