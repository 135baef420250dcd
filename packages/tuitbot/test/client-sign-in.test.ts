import { cast, Sandbox } from "@toolpact/x-sandbox";
import { expect, onTestFinished, test } from "vitest";
import { authorization, newClient, redeem, refresh } from "../../contract/test/oauth/oauth-client.ts";
import { post as rawPost } from "../../contract/test/raw-http.ts";
import { connectingClient } from "./connecting-client.ts";
import { realPostgres } from "./postgres/real-postgres.ts";
import { newSchema } from "./postgres/server.ts";
import { signedInEnv } from "./signed-in-env.ts";
import { ownerBrowser } from "./web/owner-browser.ts";
import { newHome, type Served, serve, tuitbot } from "./web/served.ts";

const postgres = realPostgres.ok ? realPostgres.server.url : undefined;
const engines = [
  ["SQLite", async () => ({})],
  ...(postgres === undefined
    ? []
    : [["PostgreSQL", async () => ({ TUITBOT_STORAGE__URL: await newSchema(postgres) })] as const]),
] as const;

/** A server of `tuitbot serve` with its own X. */
async function served(more: readonly string[] = [], storage: Record<string, string> = {}) {
  const { home, remove } = newHome();
  const sandbox = new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, start: Date.now() });
  onTestFinished(() => sandbox.close());
  const env = { ...(await signedInEnv(home, sandbox)), ...storage };
  const server = await serve(home, { words: ["serve", "--port", "0", ...more], env });
  onTestFinished(async () => {
    await server.stop();
    remove();
  });
  return { ...server, run: (...words: readonly string[]) => tuitbot(home, words, env) };
}

const LIMITS = { accounts: ["default"], calls_per_day: 2, usd_per_day: 0.5 };

test.each(engines)(
  "a client that an owner signed in calls within its limits, until `agents revoke` ends its calls and streams (%s)",
  async (_engine, storage) => {
    const server = await served([], await storage());
    expect(server.printed).toContain(`codex mcp add tuitbot --url ${server.url}mcp`);
    const browser = await ownerBrowser(server);
    const made = await connectingClient(server.url, {
      name: "Notebook",
      open: (authorize) => browser.connect(authorize, { ...LIMITS, profile: "api-readonly", agent: null }),
    });
    onTestFinished(made.close);
    const client = await made.connect();
    onTestFinished(() => client.close());
    const read = () =>
      client.callTool({ name: "x_get_user_by_username", arguments: { username: cast.friend } });
    const answers = [await read(), await read(), await read()];
    expect(answers.map(({ structuredContent }) => Object(structuredContent).success)).toEqual([
      true,
      true,
      false,
    ]);
    const listed = async () => JSON.parse(await server.run("agents", "list", "--output", "json")).agents;
    const [before] = await listed();
    expect(before).toMatchObject({
      ...{ name: "notebook", profile: "api-readonly", client: { name: "Notebook" }, is_active: true },
      ...{ budget_usd_per_day: 0.5, last_used_at: expect.any(String) },
    });
    expect(before.spent_usd_today).toBeGreaterThan(0);
    await server.run("agents", "change", "notebook", "--profile", "readonly", "--budget-day", "0.25");
    expect(await listed()).toMatchObject([{ profile: "readonly", budget_usd_per_day: 0.25 }]);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await expect.poll(names, { timeout: 20_000 }).not.toContain("x_get_me");
    const stream = await openStream(server, made.accessToken());
    await server.run("agents", "revoke", "notebook");
    // Reads until the server ends it.
    await stream.text();
    await expect(read()).rejects.toThrow();
  },
  120_000,
);

/** The stream of notifications of a new session. */
async function openStream({ url }: Pick<Served, "url">, token: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const begun = await fetch(`${url}mcp`, { method: "POST", headers, body });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const stream = await fetch(`${url}mcp`, { headers: { ...headers, "mcp-session-id": session } });
  expect(stream.status).toBe(200);
  return stream;
}

test("a client gets no scope beyond the profile that the owner chose, and is asked again for it", async () => {
  const server = await served();
  const browser = await ownerBrowser(server);
  const client = await newClient(new URL(server.url).origin);
  const { url, verifier } = authorization(client, { scope: "mcp write" });
  const back = await browser.allow(await browser.open(url), { ...LIMITS, profile: "readonly", agent: null });
  const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
  expect(body.scope).toBe("mcp");
  const post = await rawPost(`${server.url}mcp`, {
    method: "tools/call",
    params: { name: "x_post_tweet", arguments: { text: "hello" } },
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  expect([post.status, post.headers["www-authenticate"]]).toEqual([
    403,
    expect.stringMatching(/insufficient_scope.*scope="mcp write"/),
  ]);
});

test("the clients of an owner end with `people remove`, their calls and tokens too", async () => {
  const server = await served();
  const browser = await ownerBrowser(server);
  const client = await newClient(new URL(server.url).origin);
  const { url, verifier } = authorization(client);
  const back = await browser.allow(await browser.open(url), { ...LIMITS, profile: "readonly", agent: null });
  const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
  const status = async () =>
    (await rawPost(`${server.url}mcp`, { headers: { authorization: `Bearer ${body.access_token}` } })).status;
  expect(await status()).toBe(200);
  const { agents } = await browser.command("agents");
  const [{ client: signedIn, name } = { client: null, name: "" }] = agents;
  const removed = await server.run("people", "remove", signedIn?.person ?? "", "--output", "json");
  expect(JSON.parse(removed)).toMatchObject({ ended_clients: [name] });
  await expect.poll(status, { timeout: 20_000 }).toBe(401);
  expect((await refresh(client, body.refresh_token)).status).toBe(400);
});

test("`serve --public-url` prints how each client is added at that address, and names it as the issuer", async () => {
  const server = await served(["--public-url", "https://bot.example"]);
  for (const line of [
    /Claude +Settings, Connectors, Add custom connector: https:\/\/bot\.example\/mcp/,
    /ChatGPT +Settings, Apps, .*https:\/\/bot\.example\/mcp/,
    /claude mcp add --transport http tuitbot https:\/\/bot\.example\/mcp$/m,
    /codex mcp add tuitbot --url https:\/\/bot\.example\/mcp/,
    /code --add-mcp .*"url":"https:\/\/bot\.example\/mcp"/,
  ])
    expect(server.printed).toMatch(line);
  const metadata = await fetch(new URL("/.well-known/oauth-authorization-server", server.url));
  expect(await metadata.json()).toMatchObject({ issuer: "https://bot.example" });
});
