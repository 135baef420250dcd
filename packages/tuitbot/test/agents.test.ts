import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "./authorization-server.ts";
import { type TestApp, testApp } from "./command-line.ts";
import { cleanEnv, type Envelope, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

let desk: TestApp;
let env: Record<string, string>;
let issuer: AuthorizationServer;
const RESOURCE = "https://bot.example/mcp";
const sandbox = new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, start: Date.now() });
const running: ChildProcess[] = [];
/** Two servers on one database. */
let urls: readonly string[];

beforeAll(async () => {
  desk = testApp();
  issuer = await startAuthorizationServer();
  env = cleanEnv(desk.home, {
    ...(await signedInEnv(desk.home, sandbox)),
    TUITBOT_SERVER__TOKEN: "the-token-of-the-operator",
    TUITBOT_OAUTH__ISSUER: issuer.issuer,
    TUITBOT_OAUTH__RESOURCE: RESOURCE,
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "x_delete_tweet",
  });
  urls = await Promise.all([served(), served()]);
}, 60_000);

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await sandbox.close();
  await issuer.close();
  await desk[Symbol.asyncDispose]();
});

async function served(...words: string[]): Promise<string> {
  const child = spawn(
    tuitbotCommand.command,
    [...tuitbotCommand.args, "mcp", "serve", "--http", "0", "--output", "json", ...words],
    { env, stdio: ["ignore", "pipe", "inherit"] },
  );
  running.push(child);
  const [line] = await once(child.stdout, "data");
  return JSON.parse(String(line)).url;
}

async function agents(...words: string[]): Promise<Record<string, unknown>> {
  const ran = await desk.run(["agents", ...words, "--output", "json"], { env });
  if (ran.code !== 0) throw new Error(ran.err);
  return JSON.parse(ran.out);
}

async function connected(url: string, token: string, era: "legacy" | "modern", name = "tester") {
  const client = new Client(
    { name, version: "1" },
    { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Envelope> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  // Every answer of this server is the envelope.
  return structuredContent as unknown as Envelope;
}

async function toolsOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

test.each(["modern", "legacy"] as const)(
  "an agent of each profile sees and calls its own tools, and is refused on every server once it is revoked (%s)",
  async (era) => {
    const reader = await agents("add", `reader-${era}`, "--profile", "readonly");
    const wide = await agents("add", `wide-${era}`, "--profile", "admin");
    const clients = await Promise.all(urls.map((url) => connected(url, String(reader.token), era)));
    const [here, there] = clients as [Client, Client];
    expect(await toolsOf(here)).toContain("get_tweet_by_id");
    expect(await toolsOf(here)).not.toContain("x_post_tweet");
    await expect(call(here, "x_post_tweet", { text: "no" })).rejects.toThrow("There is no tool");
    // Never more than the server has: it serves the profile write.
    const all = await connected(urls[0] ?? "", String(wide.token), era);
    expect(await toolsOf(all)).toContain("x_post_tweet");
    expect(await toolsOf(all)).not.toContain("x_post");
    expect((await call(here, "health_check")).meta).toMatchObject({ agent: `reader-${era}` });
    expect((await call(there, "health_check")).success).toBe(true);
    await agents("revoke", `reader-${era}`);
    for (const client of clients) await expect(call(client, "health_check")).rejects.toThrow();
    await expect(connected(urls[0] ?? "", String(reader.token), era)).rejects.toThrow();
    expect((await call(all, "health_check")).success).toBe(true);
  },
  60_000,
);

test("an agent on stdio has its token in the environment, and loses its tools while it is connected", async () => {
  const { token } = await agents("add", "on-stdio", "--profile", "readonly", "--expires", "0.5");
  const client = new Client({ name: "agent:somebody-else", version: "1" });
  const stdio = (given: unknown) =>
    new StdioClientTransport({
      command: tuitbotCommand.command,
      args: [...tuitbotCommand.args, "mcp", "serve"],
      env: { ...env, TUITBOT_AGENT_TOKEN: String(given) },
      stderr: "pipe",
    });
  await client.connect(stdio(token));
  expect(await toolsOf(client)).not.toContain("x_post_tweet");
  expect((await call(client, "health_check")).meta).toMatchObject({ agent: "on-stdio" });
  const second = await agents("rotate", "on-stdio");
  await expect(call(client, "health_check")).rejects.toThrow("not valid any more");
  await client.close();
  const again = new Client({ name: "tester", version: "1" });
  await again.connect(stdio(second.token));
  expect((await call(again, "health_check")).success).toBe(true);
  await again.close();
  await expect(new Client({ name: "t", version: "1" }).connect(stdio("wrong"))).rejects.toThrow();
  expect(await agents("list")).toMatchObject({
    agents: expect.arrayContaining([
      expect.objectContaining({ name: "on-stdio", is_active: true, last_used_at: expect.any(String) }),
    ]),
  });
}, 60_000);

test("the tokens of an issuer are taken for agents that it names, as far as their scopes and their profile go", async () => {
  await agents("add", "desk", "--subject", "client-of-the-desk");
  await agents("add", "watcher", "--subject", "client-that-watches", "--profile", "readonly");
  const url = urls[0] ?? "";
  const good = { client: "client-of-the-desk", resource: RESOURCE, scope: "tuitbot.read tuitbot.write" };
  const full = await connected(url, await issuer.token(good), "modern", "agent:watcher");
  expect(await toolsOf(full)).toContain("x_post_tweet");
  const posted = await call(full, "x_post_tweet", { text: "By an agent of the issuer" });
  expect(posted).toMatchObject({ success: true, meta: { agent: "desk" } });
  const log = await desk.run(["log", "--output", "json"], { env });
  expect(log.out).toContain('"client": "agent:desk"');

  const reading = await connected(url, await issuer.token({ ...good, scope: "tuitbot.read" }), "modern");
  expect(await toolsOf(reading)).not.toContain("x_post_tweet");
  const watching = { ...good, client: "client-that-watches" };
  const watcher = await connected(url, await issuer.token(watching), "modern");
  expect(await toolsOf(watcher)).not.toContain("x_post_tweet");
  await expect(call(watcher, "x_post_tweet", { text: "no" })).rejects.toThrow("There is no tool");

  const post = async (token: string | undefined, tool = "x_post_tweet") => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: { text: "refused" } },
      }),
    });
    await answer.body?.cancel();
    return { status: answer.status, challenge: answer.headers.get("www-authenticate") ?? "" };
  };
  const metadata = "https://bot.example/.well-known/oauth-protected-resource/mcp";
  for (const bad of [
    undefined,
    await issuer.token({ ...good, resource: "https://elsewhere.example/mcp" }),
    await issuer.token({ ...good, seconds: -60 }),
  ])
    expect(await post(bad)).toEqual({
      status: 401,
      challenge: expect.stringContaining(`resource_metadata="${metadata}"`),
    });
  expect(await post(await issuer.token({ ...good, scope: "tuitbot.read" }))).toEqual({
    status: 403,
    challenge: expect.stringMatching(/insufficient_scope.*scope="tuitbot.write".*resource_metadata/),
  });
  expect(await post(await issuer.token({ ...good, scope: "other" }), "health_check")).toMatchObject({
    status: 403,
    challenge: expect.stringContaining('scope="tuitbot.read"'),
  });
  expect(await post(await issuer.token({ ...good, client: "client-of-nobody" }))).toMatchObject({
    status: 403,
  });
  const document = await fetch(url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"));
  expect(await document.json()).toMatchObject({
    resource: RESOURCE,
    authorization_servers: [issuer.issuer],
    scopes_supported: ["tuitbot.read", "tuitbot.write"],
  });
  await agents("revoke", "desk");
  await expect(call(full, "health_check")).rejects.toThrow();
}, 60_000);

test("an agent of one account is no agent of another", async () => {
  await writeFile(join(desk.home, "accounts.toml"), "[accounts.bakery]\n");
  const url = await served("--config", join(desk.home, "accounts.toml"), "--account", "bakery");
  const { token: own } = await agents("add", "baker", "--accounts", "bakery");
  const { token: other } = await agents("add", "writer");
  const tools = await (await connected(url, String(own), "modern")).listTools();
  expect(tools.tools.length).toBeGreaterThan(0);
  await expect(connected(url, String(other), "modern")).rejects.toThrow();
  await expect(connected(urls[0] ?? "", String(own), "modern")).rejects.toThrow();
});

test("a wrong name, limit or budget is refused with what would do", async () => {
  const refused = async (...words: string[]) => (await desk.run(["agents", "add", ...words], { env })).err;
  expect(await refused("a b")).toContain("1 to 48 letters");
  expect(await refused("a", "--limit", "x_post_twet=3/day")).toContain("Did you mean x_post_tweet?");
  expect(await refused("a", "--limit", "all=3")).toContain("engage=50/day");
  expect(await refused("a", "--limit", "list_drafts=3/day")).toContain("asks neither X nor a model");
  expect(await refused("a", "--budget-day", "-1")).toContain("--budget-day");
  expect((await desk.run(["agents", "revoke", "nobody"], { env })).err).toContain("tuitbot agents list");
});
