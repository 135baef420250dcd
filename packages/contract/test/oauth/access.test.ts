import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openSqlite } from "../../src/guards/index.ts";
import { cookieKeys } from "../../src/oauth/cookie-keys.ts";
import { isPublicHost } from "../../src/oauth/public-host.ts";
import { post } from "../raw-http.ts";
import { Browser, openConsent, signInWith } from "./browser.ts";
import { authorization, CALLBACK, newClient, redeem, revoke, signedIn, USER } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";
import { trapServer } from "./trap-server.ts";

const ADD_NOTE = { method: "tools/call", params: { name: "add_note", arguments: { text: "hi" } } };
const LIST_NOTES = { method: "tools/call", params: { name: "list_notes", arguments: {} } };

test("a caller without a token learns where to sign in and which scopes to ask for, also by GET and HEAD", async () => {
  const { url, origin } = await serveSignIn();
  const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="mcp notes.write"`;
  expect(await post(url)).toMatchObject({ status: 401, headers: { "www-authenticate": challenge } });
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(url, { method });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, challenge]);
  }
});

test("metadata names the public address whatever Host a request has, at both addresses that clients try", async () => {
  const { url } = await serveSignIn({ publicUrl: "https://mcp.example" });
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
    expect(await (await fetch(new URL(path, url))).json()).toMatchObject({
      resource: "https://mcp.example/mcp",
      authorization_servers: ["https://mcp.example"],
    });
  const evil = { headers: { host: "evil.test", "x-forwarded-host": "evil.test" } };
  expect((await post(url, evil)).headers["www-authenticate"] ?? "").not.toContain("evil");
  const metadata = await fetch(new URL("/.well-known/oauth-authorization-server", url));
  expect(await metadata.json()).toMatchObject({
    issuer: "https://mcp.example",
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test("a server that other machines can reach needs a public address to sign clients in", async () => {
  const reachable = serveSignIn({}, ":memory:", { host: "0.0.0.0" });
  await expect(reachable).rejects.toThrow("give openSignIn a publicUrl");
});

test("with public tools, reads need no sign-in, and a tool with a scope asks for one", async () => {
  const { url, origin } = await serveSignIn({ publicTools: true });
  expect((await post(url)).status).toBe(200);
  // The second call takes the fast path.
  for (let times = 0; times < 2; times++) expect((await post(url, LIST_NOTES)).status).toBe(200);
  for (let times = 0; times < 2; times++) {
    const challenged = await post(url, ADD_NOTE);
    expect(challenged.status).toBe(401);
    expect(challenged.headers["www-authenticate"]).toContain('scope="mcp notes.write"');
  }
  const { access } = await signedIn(await newClient(origin));
  expect((await post(url, { ...ADD_NOTE, headers: { authorization: `Bearer ${access}` } })).status).toBe(200);
  expect((await post(url, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
});

test("a scope that the user withheld is asked for when a tool needs it, together with those the client has", async () => {
  const { url, origin } = await serveSignIn();
  const client = await newClient(origin);
  const { url: authorize, verifier } = authorization(client);
  const back = await signInWith(new Browser(), authorize, { ...USER, scopes: [] });
  const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
  expect(body.scope).toBe("mcp");
  const headers = { authorization: `Bearer ${body.access_token}` };
  expect((await post(url, { ...LIST_NOTES, headers })).status).toBe(200);
  for (let times = 0; times < 2; times++) {
    const challenged = await post(url, { ...ADD_NOTE, headers });
    expect(challenged.status).toBe(403);
    expect(challenged.headers["www-authenticate"]).toMatch(
      /error="insufficient_scope".*scope="mcp notes.write"/,
    );
  }
  const more = await signedIn(client, { scope: "mcp notes.write" });
  const widened = await post(url, { ...ADD_NOTE, headers: { authorization: `Bearer ${more.access}` } });
  expect(widened.status).toBe(200);
});

const principals = [
  ["by default", undefined],
  ["with a principal of the app", async ({ grantId }: { readonly grantId: string }) => ({ id: grantId })],
] as const;

test.each(principals)(
  "the stream of a client ends when its token is revoked, %s",
  async (_how, principal) => {
    const { url, origin } = await serveSignIn(principal && { principal });
    const client = await newClient(origin);
    const tokens = await signedIn(client);
    const headers = {
      authorization: `Bearer ${tokens.access}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const begun = await fetch(url, { method: "POST", headers, body });
    const session = begun.headers.get("mcp-session-id") ?? "";
    await begun.text();
    const stream = await fetch(url, { headers: { ...headers, "mcp-session-id": session } });
    expect(stream.status).toBe(200);
    await revoke(client, tokens.refresh);
    await stream.text();
  },
);

test("a token that is stored while its grant is revoked is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-late-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, "sign-in.db");
  const { url, origin } = await serveSignIn({}, place);
  const client = await newClient(origin);
  const { access, refresh } = await signedIn(client);
  const database = await openSqlite(place);
  onTestFinished(() => database.close());
  const run = (sql: string) => database.transact("", (statement) => statement(sql));
  await run("create table late as select * from sign_in_records where model = 'AccessToken'");
  await revoke(client, refresh);
  await run("insert into sign_in_records select * from late");
  const headers = { authorization: `Bearer ${access}` };
  expect((await post(url, { headers })).status).toBe(401);
});

test("keys of cookies change every day, and yesterday's cookies are still accepted", () => {
  let now = 0;
  const keys = cookieKeys(new Uint8Array(32), () => now);
  const digest = keys.sign("a cookie");
  const day = 24 * 60 * 60_000;
  expect(keys.verify("a cookie", digest)).toBe(true);
  expect(keys.verify("another", digest)).toBe(false);
  now = day;
  expect(keys.sign("a cookie")).not.toBe(digest);
  expect(keys.index("a cookie", digest)).toBe(1);
  now = 2 * day;
  expect(keys.verify("a cookie", digest)).toBe(false);
});

test.each([
  ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
  ["[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::a00:1]"],
  [
    "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::]",
    "[2002:a00:1::1]",
    "[2001:0:a00:1::]",
    "[fec0::1]",
    "192.88.99.1",
  ],
  ["localhost"],
])("the server sends no request to %s or its like", async (...hosts) => {
  for (const host of hosts) expect(await isPublicHost(host), host).toBe(false);
  for (const host of ["93.184.216.34", "[2606:2800:220:1:248:1893:25c8:1946]"])
    expect(await isPublicHost(host), host).toBe(true);
});

describe("a client ID metadata document", () => {
  const id = "https://client.example/client.json";
  const document = { client_id: id, client_name: "A client", redirect_uris: [CALLBACK] };
  const publicUrl = "https://mcp.example";

  async function ask(answer: object | string, parameters: Record<string, string> = {}, headers = {}) {
    const fetched = vi.fn(async () =>
      typeof answer === "string" ? new Response(answer, { status: 200 }) : Response.json(answer, { headers }),
    );
    const { origin } = await serveSignIn({ publicUrl, fetch: fetched });
    const asked = { resource: `${publicUrl}/mcp`, ...parameters };
    return { authorize: authorization({ origin, id }, asked).url, fetched };
  }

  test("names a client that did not register, and the page says who published it", async () => {
    const { authorize, fetched } = await ask(document);
    const { html } = await openConsent(new Browser(), authorize);
    expect(html).toContain("A client, published by client.example");
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["of another client", { ...document, client_id: "https://client.example/other.json" }],
    ["whose address differs in a slash", { ...document, client_id: `${id}/` }],
    ["with a secret", { ...document, client_secret: "secret" }],
    ["with a scripted logo", { ...document, logo_uri: "javascript:alert(1)" }],
    ["without redirect URIs", { client_id: id, client_name: "A client" }],
    ["with a redirect over plain http", { ...document, redirect_uris: [CALLBACK, "http://evil.test/"] }],
    [
      "of a web app over plain http",
      { ...document, application_type: "web", redirect_uris: ["http://evil.test/callback"] },
    ],
    ["that is not JSON", "<html>"],
    ["that is too large", JSON.stringify({ ...document, client_name: "x".repeat(10_000) })],
  ])("%s is refused on this server's page", async (_what, answer) => {
    const { authorize } = await ask(answer);
    const refused = await new Browser().get(authorize);
    expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  });

  test("does not allow another redirect URI than its own", async () => {
    const { authorize } = await ask(document, { redirect_uri: "https://evil.test/callback" });
    const refused = await new Browser().get(authorize);
    expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  });

  test("is requested at most thirty times an hour for one address", async () => {
    const fetched = vi.fn(async () => new Response("", { status: 404 }));
    const { origin } = await serveSignIn({ publicUrl, fetch: fetched });
    for (let index = 0; index < 31; index++) {
      const { url } = authorization({ origin, id: `https://93.184.216.34/${index}.json` });
      expect((await new Browser().get(url)).status).toBe(400);
    }
    await redeem({ origin, id: "https://93.184.216.34/token.json" }, { code: "guess", verifier: "guess" });
    expect(fetched).toHaveBeenCalledTimes(30);
  });

  test("on this machine or its network is not requested", async () => {
    const { port, seen } = await trapServer();
    const { origin } = await serveSignIn({ publicUrl });
    const { url } = authorization({ origin, id: `https://127.0.0.1:${port}/client.json` });
    expect((await new Browser().get(url)).status).toBe(400);
    expect(seen.connections).toBe(0);
  });
});
