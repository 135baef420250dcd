import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type Exchange, exchangeFor, fetchExchange, type WireRequest } from "./exchange.ts";

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

const ways: readonly (readonly [string, Exchange])[] = [
  ["Node's client", exchangeFor(undefined)],
  ["fetch", fetchExchange(globalThis.fetch)],
];

const request = (url: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: "GET",
  url,
  headers: { accept: "application/json", authorization: "Bearer t" },
  hasCallerHeaders: false,
  body: undefined,
  isBytes: false,
  ...more,
});

const noHead = () => {};

describe.each(ways)("%s", (_, exchange) => {
  test("sends method, target, headers and body, and reads status, headers and text", async () => {
    const seen: unknown[] = [];
    const url = await serving(async (incoming, answer) => {
      const body = (await incoming.toArray()).join("");
      const { method, url, headers } = incoming;
      seen.push([method, url, headers.authorization, headers["content-length"], body]);
      answer.writeHead(201, { "x-transaction-id": "t1", "x-two": ["a", "b"] }).end('{"text":"grün"}');
    });
    const heads: (string | null)[] = [];
    const sent = exchange(
      request(`${url}/2/tweets?a=%20b`, { method: "POST", body: '{"text":"ü"}' }),
      (headers) => heads.push(headers.get("x-transaction-id")),
    );
    const { response, content } = await sent.answer;
    expect(seen).toEqual([["POST", "/2/tweets?a=%20b", "Bearer t", "13", '{"text":"ü"}']]);
    expect({ status: response.status, ok: response.ok, content }).toEqual({
      status: 201,
      ok: true,
      content: '{"text":"grün"}',
    });
    expect(heads).toEqual(["t1"]);
    expect(response.headers.get("x-two")).toBe("a, b");
    expect(response.headers.get("x-none")).toBeNull();
    expect(response.allHeaders().get("x-two")).toBe("a, b");
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("reads an answer packed with %s, as text and as bytes", async (encoding, pack) => {
    const url = await serving((_incoming, answer) => {
      answer.writeHead(200, { "content-encoding": encoding }).end(pack("packed"));
    });
    expect((await exchange(request(url), noHead).answer).content).toBe("packed");
    const { content } = await exchange(request(url, { isBytes: true }), noHead).answer;
    expect(Buffer.from(content).toString()).toBe("packed");
  });

  test("does not follow a redirect, and uses one connection for one request after another", async () => {
    const ports = new Set<number | undefined>();
    const url = await serving((incoming, answer) => {
      ports.add(incoming.socket.remotePort);
      answer.writeHead(302, { location: "/elsewhere" }).end();
    });
    for (let round = 0; round < 5; round++)
      expect((await exchange(request(url), noHead).answer).response.status).toBe(302);
    // Which a connection may go back too late for.
    expect(ports.size).toBeLessThan(5);
  });

  test("fails when nobody listens, when the connection breaks in the answer, and when it is cancelled", async () => {
    const gone = await serving(() => {});
    servers.splice(0)[0]?.close();
    const codes = (thrown: { code?: string; cause?: { code?: string } }) => thrown.cause?.code ?? thrown.code;
    expect(codes(await exchange(request(gone), noHead).answer.catch((error) => error))).toBe("ECONNREFUSED");
    const broken = await serving((_incoming, answer) => {
      answer.writeHead(200, { "content-length": "100" });
      answer.write("half", () => answer.destroy());
    });
    await expect(exchange(request(broken), noHead).answer).rejects.toThrow();
    const silent = await serving(() => {});
    const sent = exchange(request(silent), noHead);
    sent.cancel();
    await expect(sent.answer).rejects.toThrow();
  });
});

test("a fetch that somebody has put in the place of Node's own is used", async () => {
  const seen: string[] = [];
  const own: typeof fetch = async (url) => {
    seen.push(String(url));
    return new Response("answered");
  };
  const { content } = await exchangeFor(own)(request("http://127.0.0.1:1/2/tweets"), noHead).answer;
  expect({ content, seen }).toEqual({ content: "answered", seen: ["http://127.0.0.1:1/2/tweets"] });
});
