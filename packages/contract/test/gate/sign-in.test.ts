import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, onTestFinished, test } from "vitest";
import { realPostgres } from "../../../tuitbot/test/postgres/real-postgres.ts";
import { newSchema } from "../../../tuitbot/test/postgres/server.ts";
import { program } from "../../src/command/program.ts";
import { Browser, openConsent } from "../oauth/browser.ts";
import { authorization, newClient, redeem, refresh } from "../oauth/oauth-client.ts";
import { post, serve } from "../raw-http.ts";
import { type ConnectOptions, callTool, lab, patience, published } from "./lab.ts";
import { lossyProxy } from "./lossy-proxy.ts";

const POLICY = `wait_seconds = 0
[tools]
echo = { rule = "read_only" }
list_notes = { rule = "read_only" }
get-sum = { rule = "allow", price = 0.01 }
get-structured-content = "person"
`;

const postgres = realPostgres.ok ? realPostgres.server.url : undefined;
const engines = [
  ["SQLite", async () => ({})],
  ...(postgres === undefined
    ? []
    : [["PostgreSQL", async () => ({ TOOLPACT_GATE_DATABASE_URL: await newSchema(postgres) })] as const]),
] as const;

async function gate(
  env: Record<string, string> = {},
  inFrontOf: Pick<ConnectOptions, "server" | "url"> = { server: published("server-everything") },
) {
  const made = await lab(POLICY, env);
  const served = await made.serve({ ...inFrontOf, env, gateArgs: ["--sign-in"] });
  return {
    ...made,
    url: served.url,
    token: served.token ?? "",
    origin: new URL(served.url).origin,
    command: (...words: readonly string[]) =>
      runInMemory(program, ["gate", ...words, "--policy", made.policy], { server: [] }, { env }),
  };
}

type SignedInGate = Awaited<ReturnType<typeof gate>>;
type TestClient = Awaited<ReturnType<typeof newClient>>;

/** Returns the page and a function that submits it. */
async function consentOf({ token }: SignedInGate, client: TestClient, scope?: string) {
  const browser = new Browser();
  const { url, verifier } = authorization(client, { scope });
  const { page, html } = await openConsent(browser, url);
  const send = (fields: Record<string, string>) =>
    browser.submit(page, html, { decision: "approve", passphrase: token, ...fields });
  return {
    html,
    send,
    async allow(fields: Record<string, string>) {
      const resume = (await send(fields)).headers.get("location");
      const back = new URL((await browser.get(resume ?? "")).headers.get("location") ?? "");
      const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
      return { access: body.access_token ?? "", refresh: body.refresh_token ?? "" };
    },
  };
}

const LIMITS = { may: "read", calls: "5", usd: "0.05" };

async function connected(url: string, access: string) {
  const made = new Client({ name: "whatever", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${access}` } };
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => made.close());
  return made;
}

const sum = { method: "tools/call", params: { name: "get-sum", arguments: { a: 1, b: 2 } } };

test.each(engines)(
  "a client signs in with the gate's token, reads by default, asks for more, and is revoked with its streams (%s)",
  async (_engine, database) => {
    const gated = await gate(await database());
    const client = await newClient(gated.origin, { client_name: "Notebook" });
    const first = await consentOf(gated, client, "mcp write");
    expect(first.html).toContain("Connect Notebook to gate?");
    expect(first.html).toContain("not verified");
    expect(first.html).toMatch(/value="read" checked/);
    const tokens = await first.allow(LIMITS);
    const reader = await connected(gated.url, tokens.access);
    expect(await callTool(reader, "echo", { message: "1" })).toMatchObject({ isError: false });
    const challenged = await post(gated.url, {
      ...sum,
      headers: { authorization: `Bearer ${tokens.access}` },
    });
    expect(challenged.status).toBe(403);
    expect(challenged.headers["www-authenticate"]).toMatch(/insufficient_scope.*scope="mcp write"/);

    const again = await consentOf(gated, client, "mcp write");
    expect(again.html).toMatch(/value="write" checked/);
    const more = await again.allow({ ...LIMITS, may: "write", replaces: "notebook" });
    await expect.poll(() => refresh(client, tokens.refresh)).toMatchObject({ status: 400 });
    const writer = await connected(gated.url, more.access);
    for (const a of [1, 2, 3, 4])
      expect(await callTool(writer, "get-sum", { a, b: 1 })).toMatchObject({ isError: false });
    // One read and four calls, the owner's limit.
    expect(await callTool(writer, "echo", { message: "2" })).toMatchObject({
      gate: { code: "limit_reached" },
    });

    const { clients } = (await gated.command("clients", "--output", "json")).json() as {
      clients: readonly object[];
    };
    expect(clients).toMatchObject([
      { name: "notebook", may: "write", calls_per_day: 5, usd_per_day: 0.05, spent_usd_today: 0.04 },
    ]);
    expect((await gated.command("log")).out).toContain("client:notebook");

    const stream = await openStream(gated.url, more.access);
    expect((await gated.command("clients", "revoke", "notebook")).code).toBe(0);
    await stream.text();
    const status = async () =>
      (await post(gated.url, { headers: { authorization: `Bearer ${more.access}` } })).status;
    await expect.poll(status, patience).toBe(401);
    expect(await refresh(client, more.refresh)).toMatchObject({ status: 400 });
  },
);

async function openStream(url: string, access: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${access}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const begun = await fetch(url, { method: "POST", headers, body });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const stream = await fetch(url, { headers: { ...headers, "mcp-session-id": session } });
  expect(stream.status).toBe(200);
  return stream;
}

test("permissions follow the owner's change, and the approved call of a revoked client is not sent", async () => {
  const gated = await gate();
  const client = await newClient(gated.origin, { client_name: "Notebook" });
  const { access } = await (await consentOf(gated, client)).allow({ ...LIMITS, may: "write" });
  const writer = await connected(gated.url, access);
  const ask = () => callTool(writer, "get-structured-content", { location: "Chicago" });
  expect(await ask()).toMatchObject({ gate: { code: "waiting_for_person" } });

  expect((await gated.command("clients", "change", "notebook", "--may", "read")).code).toBe(0);
  const denied = () => callTool(writer, "get-sum", { a: 1, b: 2 }).catch(String);
  await expect.poll(denied, patience).toMatch(/InsufficientScope/);
  expect((await gated.command("clients", "change", "notebook", "--calls-per-day", "9")).code).toBe(0);
  const { clients } = (await gated.command("clients", "--output", "json")).json() as {
    clients: readonly object[];
  };
  expect(clients).toMatchObject([{ may: "read", calls_per_day: 9 }]);

  await gated.command("clients", "revoke", "notebook");
  await gated.decide(true);
  const last = async () => (await gated.storage.records(1))[0];
  await expect.poll(last, patience).toMatchObject({ code: "denied_by_policy", principal: "client:notebook" });
  expect((await gated.command("clients", "revoke", "notebook")).code).not.toBe(0);
});

test("the server behind the gate receives no token of a client", async () => {
  const server = await serve();
  const proxy = await lossyProxy();
  const gated = await gate({}, { url: proxy.through(server.url) });
  const { access, refresh: renewal } = await (await consentOf(gated, await newClient(gated.origin))).allow(
    LIMITS,
  );
  const reader = await connected(gated.url, access);
  expect(await callTool(reader, "list_notes", {})).toMatchObject({ isError: false });
  const received = proxy.received.join("\n");
  expect(received).toContain("list_notes");
  for (const token of [access, renewal]) {
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(received).not.toContain(token);
  }
});

test("a form with a wrong token or wrong limits gives no code, and says why", async () => {
  const gated = await gate();
  const { send } = await consentOf(gated, await newClient(gated.origin));
  const wrong = await send({ ...LIMITS, passphrase: "guess" });
  expect([wrong.status, await wrong.text()]).toEqual([
    403,
    expect.stringContaining("The passphrase is wrong"),
  ]);
  for (const fields of [{ calls: "0" }, { calls: "1.5" }, { usd: "-1" }, { usd: "much" }]) {
    const refused = await send({ ...LIMITS, ...fields });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("per day is")]);
  }
  expect((await gated.command("clients")).out).toContain("No client was signed in");
});

test("a sign-in needs HTTP with a token, and a public address without a path", async () => {
  const { policy } = await lab(POLICY);
  const start = (...words: readonly string[]) =>
    runInMemory(program, ["gate", "--policy", policy, ...words], { server: published("server-everything") });
  for (const words of [
    ["--sign-in"],
    ["--sign-in", "--http", "0", "--no-token"],
    ["--sign-in", "http://gate.example", "--http", "0"],
    ["--sign-in", "https://gate.example/path", "--http", "0"],
  ])
    expect(await start(...words)).toMatchObject({ code: 2, err: expect.stringContaining("--sign-in") });
});
