import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { exchange, type WireRequest } from "./transport.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serving(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle as never);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const request = (url: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: "GET",
  url,
  headers: { accept: "application/json", authorization: "Bearer t" },
  body: undefined,
  isBytes: false,
  ...more,
});

const send = (request: WireRequest, signal = new AbortController().signal) =>
  exchange(globalThis.fetch, request, signal, () => {});

describe("one request", () => {
  test("sends method, target, headers and body, and reads status, headers and text", async () => {
    const seen: unknown[] = [];
    const url = await serving(async (incoming, answer) => {
      const body = (await incoming.toArray()).join("");
      const { method, url, headers } = incoming;
      seen.push([method, url, headers.authorization, headers["content-length"], body]);
      answer.writeHead(201, { "x-transaction-id": "t1", "x-two": ["a", "b"] }).end('{"text":"grün"}');
    });
    const heads: (string | null)[] = [];
    const { response, content } = await exchange(
      globalThis.fetch,
      request(`${url}/2/tweets?a=%20b`, { method: "POST", body: '{"text":"ü"}' }),
      new AbortController().signal,
      (headers) => heads.push(headers.get("x-transaction-id")),
    );
    expect(seen).toEqual([["POST", "/2/tweets?a=%20b", "Bearer t", "13", '{"text":"ü"}']]);
    expect({ status: response.status, ok: response.ok, content }).toEqual({
      status: 201,
      ok: true,
      content: '{"text":"grün"}',
    });
    expect(heads).toEqual(["t1"]);
    expect(response.headers.get("x-two")).toBe("a, b");
    expect(response.headers.get("x-none")).toBeNull();
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("reads an answer packed with %s, as text and as bytes", async (encoding, pack) => {
    const url = await serving((_incoming, answer) => {
      answer.writeHead(200, { "content-encoding": encoding }).end(pack("packed"));
    });
    expect((await send(request(url))).content).toBe("packed");
    const { content } = await send(request(url, { isBytes: true }));
    expect(Buffer.from(content).toString()).toBe("packed");
  });

  test("does not follow a redirect, and uses one connection for one request after another", async () => {
    const ports = new Set<number | undefined>();
    const url = await serving((incoming, answer) => {
      ports.add(incoming.socket.remotePort);
      answer.writeHead(302, { location: "/elsewhere" }).end();
    });
    for (let round = 0; round < 5; round++) expect((await send(request(url))).response.status).toBe(302);
    // A connection may return to the pool too late for the next request.
    expect(ports.size).toBeLessThan(5);
  });

  test("fails if the connection is refused, breaks during the answer, or is canceled", async () => {
    const gone = await serving(() => {});
    servers.splice(0)[0]?.close();
    const codes = (thrown: { code?: string; cause?: { code?: string } }) => thrown.cause?.code ?? thrown.code;
    expect(codes(await send(request(gone)).catch((error) => error))).toBe("ECONNREFUSED");
    const broken = await serving((_incoming, answer) => {
      answer.writeHead(200, { "content-length": "100" });
      answer.write("half", () => answer.destroy());
    });
    await expect(send(request(broken))).rejects.toThrow();
    const silent = await serving(() => {});
    const abort = new AbortController();
    const sent = send(request(silent), abort.signal);
    abort.abort();
    await expect(sent).rejects.toThrow();
  });
});

test("the caller's fetch sends the request", async () => {
  const seen: string[] = [];
  const own: typeof fetch = async (url) => {
    seen.push(String(url));
    return new Response("answered");
  };
  const { signal } = new AbortController();
  const { content } = await exchange(own, request("http://127.0.0.1:1/2/tweets"), signal, () => {});
  expect({ content, seen }).toEqual({ content: "answered", seen: ["http://127.0.0.1:1/2/tweets"] });
});

test("Node's proxy variables are respected", async () => {
  const proxied: (string | undefined)[] = [];
  const proxy = createServer((incoming, answer) => {
    proxied.push(incoming.url);
    answer.end("from the proxy");
  });
  proxy.on("connect", (incoming, socket) => {
    proxied.push(incoming.url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  servers.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const module = new URL("transport.ts", import.meta.url).href;
  const code = `import { exchange } from ${JSON.stringify(module)};
await exchange(fetch, { method: "GET", url: "http://x.example/2/tweets", headers: {}, body: undefined, isBytes: false }, new AbortController().signal, () => {}).catch(() => {});`;
  const child = spawn(process.execPath, ["--conditions=toolpact-source", "--input-type=module", "-e", code], {
    env: { PATH: process.env.PATH, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${port}` },
    stdio: "inherit",
  });
  await once(child, "exit");
  expect(proxied.join()).toContain("x.example");
});
