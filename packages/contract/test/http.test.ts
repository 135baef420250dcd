import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { defineServer, ok } from "../src/index.ts";
import { serveHttp } from "../src/mcp/http.ts";
import { notesApp, stoppedAt } from "./notes-product.ts";
import { post, serve } from "./raw-http.ts";

describe("who may come in", () => {
  test("a page of a stranger may not, by its Host or its Origin", async () => {
    const { url } = await serve();
    expect((await post(url)).status).toBe(200);
    expect((await post(url, { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await post(url, { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });

  test("a page of another program on this machine may not, one of this server itself may", async () => {
    const { url } = await serve();
    const { host, port } = new URL(url);
    for (const origin of [
      "http://localhost:3000",
      `http://127.0.0.1:${Number(port) + 1}`,
      "http://[::1]",
      "null",
    ])
      expect((await post(url, { headers: { origin } })).status, origin).toBe(403);
    expect((await post(url, { headers: { origin: `http://${host}` } })).status).toBe(200);
    const allowing = await serve({ allowedOrigins: ["http://localhost:3000"] });
    expect((await post(allowing.url, { headers: { origin: "http://localhost:3000" } })).status).toBe(200);
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

  test("only a client that stalls in a head or a body is disconnected", async () => {
    const errors: Error[] = [];
    const { url } = await serve({ requestMs: 200, onError: (error) => errors.push(error) });
    const { port, host } = new URL(url);
    const head = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\n`;
    const more = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    for (const half of [head, `${head}${more}content-length: 99\r\n\r\n{`]) {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(half));
      const answer = (await socket.setEncoding("utf8").toArray()).join("");
      expect(answer).toMatch(/^HTTP\/1.1 408 /);
    }
    expect((await post(url)).status).toBe(200);
  });

  test("an idle connection is kept longer than proxies keep theirs", async () => {
    const { url } = await serve();
    expect((await fetch(url, { method: "POST" })).headers.get("keep-alive")).toBe("timeout=65");
  });

  test("beyond loopback nothing is served without a token or an issuer", async () => {
    await expect(serveHttp(notesApp().app, { host: "0.0.0.0", port: 0 })).rejects.toThrow(
      "set a token, an OAuth issuer or a sign-in first",
    );
  });

  test.each(["0.0.0.0", "::"])(
    "a server on every address (%s) accepts any Host from callers with its token",
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

  test("a server with configured names accepts only those, even from callers with its token", async () => {
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

test("a caller with another token or none is one line for the operator, and no more within a minute", async () => {
  const reported: string[] = [];
  const { url } = await serve({
    token: "a-long-and-secret-token",
    onError: ({ message }) => void reported.push(message),
  });
  for (const headers of [{ authorization: "Bearer wrong" }, {}, { authorization: "Bearer other" }])
    expect((await post(url, { headers })).status).toBe(401);
  expect(reported).toEqual(["A caller was refused: it sent another token."]);
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
    const reported: Error[] = [];
    const { url } = await serve({ onError: (error) => void reported.push(error) });
    const raw = async (head: string) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.end(`${head}\r\nConnection: close\r\n\r\n`);
      return (await socket.setEncoding("utf8").toArray()).join("").split("\r\n")[0];
    };
    expect(await raw("POST /mcp HTTP/1.1\r\nHost: a b\r\nContent-Length: 0")).toBe(
      "HTTP/1.1 400 Bad Request",
    );
    expect(await raw("TRACE /mcp HTTP/1.1\r\nHost: localhost")).toBe("HTTP/1.1 405 Method Not Allowed");
    expect(reported).toEqual([]);
  });

  test("a path that is not the server's", async () => {
    const { url } = await serve();
    expect((await post(url.replace("/mcp", "/"))).status).toBe(404);
  });
});

test("more open requests than it holds are refused at once, and their places are free again when clients go", async () => {
  let running = 0;
  const server = defineServer({ name: "hanging", version: "1.0.0" });
  const hang = server.tool({
    name: "hang",
    title: "Hang",
    description: "Wait until the caller goes away.",
    effect: "none",
    openWorld: false,
    errors: [],
    input: z.strictObject({}),
    output: z.object({}),
    async handler(_input, { signal }) {
      running += 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      running -= 1;
      return ok({});
    },
  });
  const app = server.app({ tools: [hang] });
  const { url, close } = await serveHttp(app, { port: 0 });
  onTestFinished(close);
  // Pipelined on few connections, without reading.
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    socket.write(rawRequest(url, "tools/call", "hang").repeat(100));
    return socket;
  });
  await expect.poll(async () => (await post(url)).status, { timeout: 20_000 }).toBe(503);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await post(url)).status, { timeout: 20_000 }).toBe(200);
  // Calls that waited on their connection end with it.
  await expect.poll(() => running, { timeout: 20_000 }).toBe(0);
});

test("answers that clients do not read are bounded, and others are let in again when those clients have gone", async () => {
  const server = defineServer({ name: "long", version: "1.0.0" });
  const long = server.tool({
    name: "long",
    title: "Long",
    // Results are cut; the tool list is not.
    description: "x".repeat(20_000_000),
    effect: "none",
    openWorld: false,
    errors: [],
    input: z.strictObject({}),
    output: z.object({}),
    handler: async () => ok({}),
  });
  const app = server.app({ tools: [long] });
  const { url, close } = await serveHttp(app, { port: 0 });
  onTestFinished(close);
  const sockets = Array.from({ length: 2 }, () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    socket.write(rawRequest(url, "tools/list"));
    return socket;
  });
  await expect.poll(async () => (await post(url)).status, { timeout: 20_000 }).toBe(503);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await post(url)).status, { timeout: 20_000 }).toBe(200);
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

function rawRequest(url: string, method: string, name?: string): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { ...(name !== undefined && { name, arguments: {} }), _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const head = [
    "POST /mcp HTTP/1.1",
    `host: ${new URL(url).host}`,
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    "mcp-protocol-version: 2026-07-28",
    `mcp-method: ${method}`,
    ...(name === undefined ? [] : [`mcp-name: ${name}`]),
    `content-length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
