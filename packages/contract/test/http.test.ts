import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type HttpOptions, type HttpServing, serveHttp } from "../src/mcp/http.ts";
import { type Loopback, loopback } from "./loopback.ts";
import { type NotesApp, notesApp, stoppedAt } from "./notes-product.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(options: Partial<HttpOptions> = {}, notes: NotesApp = notesApp()): Promise<HttpServing> {
  const server = await serveHttp(notes.app, { port: 0, ...options });
  closing.push(server.close);
  return server;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

interface Posting {
  readonly method?: string;
  readonly params?: object;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** One request on the wire. `fetch` would not let a Host header through. */
function post(url: string, { method = "tools/list", params = {}, headers = {}, body }: Posting = {}) {
  const message =
    body ?? JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } });
  const name = (params as { name?: string }).name;
  return new Promise<{
    status: number;
    headers: NodeJS.Dict<string | string[]>;
    json: Record<string, unknown>;
  }>((resolve, reject) => {
    const sending = httpRequest(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(name !== undefined && { "mcp-name": name }),
          ...headers,
        },
      },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: data === "" ? {} : JSON.parse(data),
        });
      },
    );
    sending.on("error", reject);
    sending.end(message);
  });
}

describe("who may come in", () => {
  test("a page of a stranger may not, by its Host or its Origin", async () => {
    const { url } = await serve();
    expect((await post(url)).status).toBe(200);
    expect((await post(url, { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await post(url, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await post(url, { headers: { origin: "http://localhost:8080" } })).status).toBe(200);
  });

  test("an origin that was allowed by name may", async () => {
    const { url } = await serve({ allowedOrigins: ["https://app.example"] });
    expect((await post(url, { headers: { origin: "https://app.example" } })).status).toBe(200);
  });

  test("a browser learns that an allowed page may call and read, and that another may not", async () => {
    const { url } = await serve({
      allowedOrigins: ["https://app.example"],
      token: "a-long-and-secret-token",
    });
    const wanted = "authorization, content-type, mcp-method, mcp-param-id";
    const asking = (origin: string) =>
      fetch(url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": wanted,
        },
      });
    const allowed = await asking("https://app.example");
    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers": wanted,
      vary: "origin",
    });
    const refused = await asking("https://evil.example");
    expect(refused.status).toBe(403);
    expect(refused.headers.has("access-control-allow-origin")).toBe(false);

    const origin = "https://app.example";
    const authorization = "Bearer a-long-and-secret-token";
    for (const headers of [{ origin }, { origin, authorization }]) {
      expect((await post(url, { headers })).headers).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "mcp-session-id, mcp-protocol-version, www-authenticate",
      });
    }
  });

  test("beyond loopback nothing is served without a token or an issuer", async () => {
    await expect(serveHttp(notesApp().app, { host: "0.0.0.0", port: 0 })).rejects.toThrow(
      "set a token or an OAuth issuer first",
    );
  });

  test.each(["0.0.0.0", "::"])(
    "a server on every address (%s) goes by any name to whoever has its token",
    async (host) => {
      const { url } = await serve({ host, token: "a-long-and-secret-token" });
      const here = url.replace(/0\.0\.0\.0|\[::\]/, "127.0.0.1");
      const authorization = "Bearer a-long-and-secret-token";
      for (const name of ["192.168.1.5:3000", "[fd00::5]:3000", "mcp.example"]) {
        expect((await post(here, { headers: { host: name, authorization } })).status).toBe(200);
        expect((await post(here, { headers: { host: name } })).status).toBe(401);
      }
    },
  );

  test("a server that was given names goes by those, and by no other, even to whoever has its token", async () => {
    const { url } = await serve({ allowedHosts: ["mcp.example"], token: "a-long-and-secret-token" });
    const authorization = "Bearer a-long-and-secret-token";
    expect((await post(url, { headers: { host: "mcp.example", authorization } })).status).toBe(200);
    expect((await post(url, { headers: { host: "other.example", authorization } })).status).toBe(403);
  });

  test("where there is a token, only its bearer may, and the answer never tells it", async () => {
    const { url } = await serve({ token: "a-long-and-secret-token" });
    const refused = await post(url);
    expect(refused).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect(JSON.stringify(refused.json)).not.toContain("secret-token");
    expect((await post(url, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await post(url, { headers: { authorization: "Bearer a-long-and-secret-token" } })).status).toBe(
      200,
    );
  });
});

describe("what is refused before it is read", () => {
  test.each([
    ["a body that is not JSON", { body: "{nonsense" }, 400, -32700],
    ["a body that is not UTF-8", { body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, 400, -32700],
    ["a body larger than the limit", { body: Buffer.alloc(9 * 1024 * 1024, 0x20) }, 413, -32600],
    [
      "a version nobody speaks",
      { headers: { "mcp-protocol-version": "2031-01-01" } },
      400,
      expect.any(Number),
    ],
    ["a header that contradicts the body", { headers: { "mcp-method": "tools/call" } }, 400, -32020],
    ["a method nobody knows", { method: "tools/juggle" }, 404, -32601],
  ])("%s", async (_what, posting, status, code) => {
    const { url } = await serve();
    expect(await post(url, posting)).toMatchObject({ status, json: { error: { code } } });
    expect((await post(url)).status).toBe(200);
  });

  test("a Host that is none, and a method that the web forbids", async () => {
    const told: Error[] = [];
    const { url } = await serve({ onError: (error) => void told.push(error) });
    const raw = async (head: string) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.end(`${head}\r\nConnection: close\r\n\r\n`);
      return (await socket.setEncoding("utf8").toArray()).join("").split("\r\n")[0];
    };
    expect(await raw("POST /mcp HTTP/1.1\r\nHost: a b\r\nContent-Length: 0")).toBe(
      "HTTP/1.1 400 Bad Request",
    );
    expect(await raw("TRACE /mcp HTTP/1.1\r\nHost: localhost")).toBe("HTTP/1.1 405 Method Not Allowed");
    expect(told).toEqual([]);
  });

  test("a path that is not the server's", async () => {
    const { url } = await serve();
    expect((await post(url.replace("/mcp", "/"))).status).toBe(404);
  });
});

describe("a question to the person", () => {
  const ask = { method: "tools/call", params: { name: "delete_note", arguments: { id: "1" } } };
  const answered = (requestState: unknown, id = "1") => ({
    method: "tools/call",
    params: {
      name: "delete_note",
      arguments: { id },
      inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
      requestState,
    },
  });
  const stateOf = (answer: { json: Record<string, unknown> }) =>
    (answer.json.result as { requestState: string }).requestState;

  test("is answered by any replica that shares the key", async () => {
    const key = "k".repeat(32);
    const first = notesApp({ stateKey: key });
    const second = notesApp({ stateKey: key });
    for (const { store } of [first, second]) store.notes.set("1", "shared");
    const asking = await post((await serve({}, first)).url, ask);
    expect(asking.json).toMatchObject({
      result: { resultType: "input_required", inputRequests: { confirm: {} } },
    });
    const done = await post((await serve({}, second)).url, answered(stateOf(asking)));
    expect(done.json).toMatchObject({ result: { structuredContent: { data: { deleted: true } } } });
  });

  test("tampered with, or answered for another call, deletes nothing", async () => {
    const notes = notesApp();
    notes.store.notes.set("1", "mine").set("2", "also mine");
    const { url } = await serve({}, notes);
    const state = stateOf(await post(url, ask));
    const flipped = state.slice(0, -2) + (state.endsWith("A") ? "B" : "A") + state.slice(-1);
    expect(await post(url, answered(flipped))).toMatchObject({ json: { error: { code: -32602 } } });
    expect((await post(url, answered(state, "2"))).json).toMatchObject({
      result: { resultType: "input_required" },
    });
    expect((await post(url, answered(undefined))).json).toMatchObject({
      result: { resultType: "input_required" },
    });
    expect(notes.store.notes.size).toBe(2);
  });
});

describe("an answer of the person", () => {
  const asking = async (notes = notesApp()) => {
    notes.store.notes.set("1", "first");
    const { url } = await serve({}, notes);
    const call = (more: object, args: object = { id: "1" }) =>
      post(url, { method: "tools/call", params: { name: "delete_note", arguments: args, ...more } });
    const { requestState } = (await call({})).json.result as { requestState: string };
    const yes = {
      requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
    };
    return { call, yes, notes: notes.store.notes };
  };
  afterEach(() => void vi.useRealTimers());

  test("counts once: sent again, it deletes nothing and the person is asked", async () => {
    const { call, yes, notes } = await asking();
    expect((await call(yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
    notes.set("1", "a new one under the old id");
    expect((await call(yes)).json).toMatchObject({ result: { resultType: "input_required" } });
    expect(notes.size).toBe(1);
  });

  test("comes too late after five minutes", async () => {
    const { call, yes, notes } = await asking();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 302_000 });
    expect((await call(yes)).json).toMatchObject({ error: { code: -32602 } });
    expect(notes.size).toBe(1);
  });

  test("does not open the door to arguments that are too deep to digest", async () => {
    const { call, yes } = await asking();
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    expect((await call(yes, { id: "1", deep })).json).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: "invalid_input" } } },
    });
    expect((await call(yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
  });
});

test("a client that goes away in the middle of a call stops it", async () => {
  const { url } = await serve();
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const before = stoppedAt.length;
  const stop = new AbortController();
  const counting = client.callTool(
    { name: "count_slowly", arguments: { to: 1_000_000 } },
    { signal: stop.signal, onprogress: () => stop.abort() },
  );
  await expect(counting).rejects.toThrow();
  await expect.poll(() => stoppedAt.length).toBe(before + 1);
  expect(stoppedAt.at(-1)).toBeLessThan(1_000_000);
  await client.close();
});

describe("with an OAuth issuer", () => {
  async function issuer(): Promise<
    Loopback & { token: (claims: object, expires?: string) => Promise<string> }
  > {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256", kid: "k1" }] };
    const server = await loopback((path) =>
      path === "/keys" ? keys : { issuer: server.url, jwks_uri: `${server.url}/keys` },
    );
    closing.push(server.close);
    const token = (claims: object, expires = "5m") =>
      new SignJWT({ iss: server.url, client_id: "some-client", scope: "", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey);
    return { ...server, token };
  }

  const resource = "http://127.0.0.1:1/mcp";
  const addNote = { method: "tools/call", params: { name: "add_note", arguments: { text: "hi" } } };

  test("a caller without a token is told where to get one", async () => {
    const { url: issuerUrl } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const refused = await post(url);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toContain(
      'resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp"',
    );
    const metadata = await fetch(url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"));
    expect(await metadata.json()).toMatchObject({
      resource,
      authorization_servers: [issuerUrl],
      scopes_supported: ["notes.write"],
    });
  });

  test("the server goes by the name its tokens are meant for", async () => {
    const { url: issuerUrl, token } = await issuer();
    const named = "https://mcp.example/mcp";
    const { url } = await serve({ host: "0.0.0.0", oauth: { issuer: issuerUrl, resource: named } });
    const here = url.replace("0.0.0.0", "127.0.0.1");
    const authorization = `Bearer ${await token({ aud: named })}`;
    expect((await post(here, { headers: { host: "mcp.example", authorization } })).status).toBe(200);
    expect((await post(here, { headers: { host: "evil.example", authorization } })).status).toBe(403);
  });

  test("a token for another server, of another issuer, or expired does not count", async () => {
    const { url: issuerUrl, token } = await issuer();
    const stranger = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const bad = [
      await token({ aud: "https://elsewhere.example/mcp" }),
      await stranger.token({ aud: resource, iss: issuerUrl }),
      await token({ aud: resource }, "-1m"),
      "nonsense",
    ];
    for (const bearer of bad)
      expect((await post(url, { headers: { authorization: `Bearer ${bearer}` } })).status).toBe(401);
  });

  test("a question to one person is not answered by another of the same client, and the audit tells them apart", async () => {
    const { url: issuerUrl, token } = await issuer();
    const notes = notesApp();
    notes.store.notes.set("1", "of alice");
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } }, notes);
    const as = async (sub: string, params: object) => {
      const headers = { authorization: `Bearer ${await token({ aud: resource, sub })}` };
      return post(url, {
        method: "tools/call",
        params: { name: "delete_note", arguments: { id: "1" }, ...params },
        headers,
      });
    };
    const { requestState } = (await as("alice", {})).json.result as { requestState: string };
    const yes = {
      requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
    };
    expect((await as("mallory", yes)).json).toMatchObject({ error: { code: -32602 } });
    expect(notes.store.notes.size).toBe(1);
    expect((await as("alice", yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
    expect(notes.audited.at(-1)).toMatchObject({ client: "some-client for alice" });
  });

  test.each([
    ["is down", undefined],
    ["names no keys", (url: string) => ({ issuer: url })],
    [
      "gives the metadata of another",
      (url: string) => ({ issuer: "https://other.example", jwks_uri: `${url}/keys` }),
    ],
    ["has keys that cannot be read", (url: string) => ({ issuer: url, jwks_uri: `${url}/keys` })],
  ])(
    "an issuer that %s leaves callers to try again later, and the operator is told",
    async (_what, metadata) => {
      const { token } = await issuer();
      const server: Loopback = await loopback(() => metadata?.(server.url) ?? {});
      closing.push(server.close);
      if (metadata === undefined) await server.close();
      const told: Error[] = [];
      const oauth = { issuer: server.url, resource };
      const { url } = await serve({ oauth, onError: (error) => void told.push(error) });
      const authorization = `Bearer ${await token({ aud: resource, iss: server.url })}`;
      const refused = await post(url, { headers: { authorization } });
      expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
      expect(told).toHaveLength(1);
    },
  );

  test.each([{ scp: ["notes.write"] }, { scp: "notes.read notes.write" }])(
    "scopes may stand in %o",
    async (claims) => {
      const { url: issuerUrl, token } = await issuer();
      const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
      const authorization = `Bearer ${await token({ aud: resource, scope: undefined, ...claims })}`;
      expect((await post(url, { ...addNote, headers: { authorization } })).status).toBe(200);
    },
  );

  test("a tool that needs a scope names it to a caller who lacks it", async () => {
    const { url: issuerUrl, token } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const as = async (scope: string) => ({
      headers: { authorization: `Bearer ${await token({ aud: resource, scope })}` },
    });
    expect(await post(url, await as(""))).toMatchObject({ status: 200 });
    const refused = await post(url, { ...addNote, ...(await as("notes.read")) });
    expect(refused.status).toBe(403);
    expect(refused.headers["www-authenticate"]).toMatch(/error="insufficient_scope", scope="notes.write"/);
    const done = await post(url, { ...addNote, ...(await as("notes.write")) });
    expect(done.json).toMatchObject({ result: { structuredContent: { success: true } } });
  });

  test("a tool among many messages needs its scope too", async () => {
    const { url: issuerUrl, token } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const headers = { authorization: `Bearer ${await token({ aud: resource, scope: "notes.read" })}` };
    const batch = [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, ...addNote },
    ];
    expect((await post(url, { headers, body: JSON.stringify(batch) })).status).toBe(403);
    expect((await post(url, { headers, body: "null" })).status).toBe(400);
  });
});
