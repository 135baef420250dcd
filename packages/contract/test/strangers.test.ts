import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../src/mcp/http.ts";
import type { HttpExtension } from "../src/mcp/http-extension.ts";
import { notesApp } from "./notes-product.ts";
import { post } from "./raw-http.ts";

/** A page where one signs in with a word, and is known by a cookie afterwards. */
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

async function sockets(url: string, count: number, text: string): Promise<readonly Socket[]> {
  const { port } = new URL(url);
  const opened = Array.from({ length: count }, () => {
    const socket = connect(Number(port), "127.0.0.1");
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

test("520 half-sent sign-ins keep out strangers alone", async () => {
  const { url, healthy, call, signIn } = await serve(600_000);
  await sockets(url, 520, half("/sign-in"));
  await expect.poll(() => signIn(), patience).toMatch(/^503/);
  expect([await healthy(), await call(), await signIn("owner")]).toEqual([200, 200, "200 Ana is in"]);
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

test("pages that strangers ask for and do not read keep out strangers alone", async () => {
  const { url, healthy, call, signIn } = await serve(600_000);
  // A cookie that says nothing makes nobody known.
  const page = "GET /page HTTP/1.1\r\nhost: localhost\r\ncookie: nobody\r\n\r\n";
  const asked = async () => (await fetch(new URL("/page", url), { headers: { cookie: "nobody" } })).status;
  const readers = await sockets(url, 3, page);
  for (const socket of readers) socket.pause();
  await expect.poll(asked, patience).toBe(503);
  expect([await healthy(), await call(), await signIn("owner")]).toEqual([200, 200, "200 Ana is in"]);
  for (const socket of readers) socket.destroy();
  await expect.poll(asked, patience).toBe(200);
});

test("health is told also where callers with a token have as many requests open as the server holds", async () => {
  const { url, healthy, call } = await serve(600_000);
  await sockets(
    url,
    520,
    half("/mcp", `authorization: ${authorization}\r\ncontent-type: application/json\r\n`),
  );
  await expect.poll(call, patience).toBe(503);
  expect(await healthy()).toBe(200);
});
