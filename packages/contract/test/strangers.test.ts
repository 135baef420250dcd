import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../src/mcp/http.ts";
import type { HttpExtension } from "../src/mcp/http-options.ts";
import { notesApp } from "./notes-product.ts";
import { post } from "./raw-http.ts";

/** Signs in with a word, and sets a cookie. */
const extension: HttpExtension = {
  async answer(request, readBody, _address, onKnown) {
    if (request.headers.get("cookie") === "owner") onKnown();
    const body = request.method === "POST" ? await readBody(100) : new Uint8Array();
    if (body === undefined) return new Response("too large", { status: 413 });
    return new Response(request.method === "POST" ? `${Buffer.from(body)} is in` : "x".repeat(20_000_000));
  },
  close: async () => {},
};
const patience = { timeout: 20_000 };
const authorization = "Bearer a-long-and-secret-token";

async function serve(strangerBodyMs: number) {
  const { url, close } = await serveHttp(notesApp().app, {
    port: 0,
    token: "a-long-and-secret-token",
    extension,
    strangerBodyMs,
  });
  onTestFinished(close);
  const at = (path: string) => new URL(path, url).href;
  return {
    url,
    healthy: async () => (await fetch(at("/healthz"))).status,
    call: async () => (await post(url, { headers: { authorization } })).status,
    signIn: async (cookie = "nobody") => {
      const response = await fetch(at("/sign-in"), { method: "POST", body: "Ana", headers: { cookie } });
      return `${response.status} ${await response.text()}`;
    },
  };
}

/** From each address in turn. */
async function sockets(
  url: string,
  count: number,
  text: string,
  from: readonly string[] = ["127.0.0.1"],
): Promise<readonly Socket[]> {
  const { port } = new URL(url);
  const opened = Array.from({ length: count }, (_, index) => {
    const localAddress = from[index % from.length] ?? "127.0.0.1";
    const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    socket.write(text);
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await Promise.all(opened.map((socket) => once(socket, "connect")));
  return opened;
}

const half = (path: string, more = "") =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${more}content-length: 3\r\n\r\nA`;

const EVERYWHERE = Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`);

/** Unfinished requests to every endpoint. */
const ATTACKS = {
  "half-sent sign-ins": half("/sign-in"),
  "half-sent sign-ins with a made-up cookie": half("/sign-in", "cookie: nobody\r\n"),
  "half-sent calls without a token": half("/mcp", "content-type: application/json\r\n"),
  "half-sent calls with a wrong token": half(
    "/mcp",
    "authorization: Bearer wrong\r\ncontent-type: application/json\r\n",
  ),
  "half-sent calls with the right token": half(
    "/mcp",
    `authorization: ${authorization}\r\ncontent-type: application/json\r\n`,
  ),
  "half-sent requests of somebody who is signed in": half("/sign-in", "cookie: owner\r\n"),
  "half-sent heads": "POST /sign-in HTTP/1.1\r\nhost: loc",
  "connections that say nothing": "",
  "finished requests on connections that stay open": "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
  "streams of events without a token":
    "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
} as const;

describe.each(Object.entries(ATTACKS))("600 %s", (_, text) => {
  test.each([
    ["one address", ["127.0.0.1"]],
    ["forty addresses", EVERYWHERE],
  ] as const)("from %s keep out neither probes nor agents nor owners nor strangers", async (_, from) => {
    const { url, healthy, call, signIn } = await serve(600_000);
    await sockets(url, 600, text, from);
    for (const round of [1, 2, 3])
      expect([await healthy(), await call(), await signIn("owner"), await signIn()], `${round}`).toEqual([
        ...[200, 200],
        ...["200 Ana is in", "200 Ana is in"],
      ]);
  });
});

test("idle connections of strangers are bounded, and the oldest make room", async () => {
  const { url } = await serve(600_000);
  const idle = await sockets(url, 600, "");
  for (const socket of idle) socket.resume();
  const isOpen = () => idle.map((socket) => !socket.destroyed);
  await expect.poll(() => isOpen().filter(Boolean).length, patience).toBeLessThanOrEqual(512);
  expect(isOpen().slice(0, 80).some(Boolean)).toBe(false);
  expect(isOpen().at(-1)).toBe(true);
});

test("a connection on which a stranger was answered stays open while half-sent requests make room", async () => {
  const { url } = await serve(600_000);
  const ask = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const [answered = expect.fail()] = await sockets(url, 1, ask);
  const answers = () => once(answered, "data", { signal: AbortSignal.timeout(patience.timeout) });
  expect(String(await answers())).toContain("200 OK");
  const half = await sockets(url, 600, "POST /sign-in HTTP/1.1\r\nhost: loc");
  for (const socket of half) socket.resume();
  const open = () => half.filter((socket) => !socket.destroyed).length;
  await expect.poll(open, patience).toBeLessThan(512);
  answered.write(ask);
  expect(String(await answers())).toContain("200 OK");
});

test("a connection on which an agent has called stays open, however many strangers come", async () => {
  const { url } = await serve(600_000);
  const body = "{}";
  const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const [agent] = await sockets(url, 1, head + body);
  if (agent === undefined) throw new Error("It is connected.");
  await once(agent, "data");
  await sockets(url, 600, "");
  await sockets(url, 600, half("/sign-in"));
  agent.write(head + body);
  expect(String((await once(agent, "data"))[0])).toMatch(/^HTTP\/1.1 4/);
});

test("a half-sent sign-in is cut off when the time of strangers is over, and others can sign in again", async () => {
  const { url, signIn } = await serve(100);
  const senders = await sockets(url, 520, half("/sign-in"));
  for (const socket of senders) {
    const answer = (await socket.setEncoding("utf8").toArray()).join("");
    expect(answer).toMatch(/^HTTP\/1.1 (408|503) /);
  }
  expect(await signIn()).toBe("200 Ana is in");
});

test("half-sent sign-ins of clients that have gone keep nobody out", async () => {
  const { url, signIn } = await serve(600_000);
  for (const socket of await sockets(url, 520, half("/sign-in"))) socket.destroy();
  await expect.poll(() => signIn(), patience).toBe("200 Ana is in");
});

test("pages that strangers ask for and do not read keep nobody out", async () => {
  const { url, healthy, call, signIn } = await serve(600_000);
  // An invalid cookie authenticates nobody.
  const page = "GET /page HTTP/1.1\r\nhost: localhost\r\ncookie: nobody\r\n\r\n";
  const asked = async () => (await fetch(new URL("/page", url), { headers: { cookie: "nobody" } })).status;
  const readers = await sockets(url, 3, page);
  for (const socket of readers) socket.pause();
  await expect.poll(asked, patience).toBe(200);
  expect([await healthy(), await call(), await signIn("owner")]).toEqual([200, 200, "200 Ana is in"]);
});
