import { request as httpRequest } from "node:http";
import { Server } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { begin, exchange, headersFor, http } from "./fast-path-http.ts";
import { compareOnStdio, compareOverHttp } from "./fast-path-random.ts";
import {
  app,
  BAD_METAS,
  callOf,
  ERAS,
  type Era,
  idIn,
  initialize,
  META,
  stdio,
} from "./fast-path-servers.ts";

// A server with the fast path and one without must send the same bytes.

const callWith = (id: number, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });

/** Each kind of call occurs at least twice. */
function messages(era: Era): readonly string[] {
  const call = (id: unknown, params: object, more: object = {}) =>
    JSON.stringify(callOf(era, id, params, more));
  const say = (what: unknown) => ({ name: "say", arguments: { what } });
  return [
    call(1, say("hi")),
    call(2, say("hi")),
    call("three", say('ä \u2028 \ud800 "quoted" \\ 🙂')),
    call(0, say("no")),
    call(-5, say(7)),
    call(6, say("x".repeat(5_000))),
    call(7, { name: "say", arguments: { what: "hi", more: 1 } }),
    call(8, { name: "say" }),
    call(9, { name: "say", arguments: null }),
    call(10, { name: "say", arguments: [] }),
    call(11, { name: "say", arguments: "hi" }),
    call(12, { name: 7, arguments: {} }),
    call(13, { arguments: { what: "hi" } }),
    call(14, { ...say("hi"), task: { ttl: 5 } }),
    call(15, { ...say("hi"), extra: true }),
    call(16, say("hi"), { progressToken: 5 }),
    call(17, say("hi"), { progressToken: { not: "one" } }),
    call(18, say("hi"), { "com.example/mine": [1] }),
    call(19, say("hi"), { "com.example/mine": [1] }),
    call(20, say("hi"), { "io.modelcontextprotocol/clientCapabilities": 5 }),
    call(21, say("hi"), { "io.modelcontextprotocol/protocolVersion": "2031-01-01" }),
    call(22, { name: "sey", arguments: {} }),
    call(23, { name: "sey", arguments: {} }),
    call(24, { name: "draw" }),
    call(25, { name: "draw" }),
    call(26, { name: "tell" }),
    call(27, { name: "tell" }),
    call(28, { name: "tell" }, { progressToken: "p", "io.modelcontextprotocol/logLevel": "info" }),
    call(29, { name: "ask" }),
    call(30, { name: "ask" }),
    call(31, { name: "break_down" }),
    call(32, { name: "break_down" }),
    call(33, { name: "wait", arguments: { ms: 1 } }),
    call(34, { name: "wait", arguments: { ms: 40 } }),
    call(1.5, say("hi")),
    call(null, say("hi")),
    `{"jsonrpc":"2.0","id":35,"method":"tools/call","params":{"name":"say","arguments":{"what":"hi","__proto__":{}}${
      era === "modern" ? `,"_meta":${JSON.stringify(META)}` : ""
    }}}`,
    JSON.stringify({ ...callOf(era, 36, say("hi")), jsonrpc: "1.0" }),
    JSON.stringify({ ...callOf(era, 37, say("hi")), more: 1 }),
    JSON.stringify({ jsonrpc: "2.0", id: 38, method: "tools/call", params: [] }),
    JSON.stringify({ jsonrpc: "2.0", id: 39, method: "tools/call" }),
    JSON.stringify({ jsonrpc: "2.0", id: 40, method: "tools/call", params: { ...say("hi"), _meta: "none" } }),
    JSON.stringify({ jsonrpc: "2.0", id: 41, method: "tools/call", params: say("hi") }),
    JSON.stringify(callOf(era === "modern" ? "legacy" : "modern", 42, say("hi"))),
    call(43, say("hi")).slice(0, -1),
    call(44, say("hi")),
    ...BAD_METAS.flatMap((meta, index) => [
      callWith(100 + index, { name: `say\n${JSON.stringify(meta)}`, arguments: { what: "hi" } }),
      callWith(200 + index, { ...say("hi"), _meta: meta }),
    ]),
  ];
}

function handledBySdk(): () => number {
  const spy = vi.spyOn(Server.prototype as unknown as { buildContext: () => unknown }, "buildContext");
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

describe.each(ERAS)("on stdio, %s", (era) => {
  test("calls get the same bytes with and without the fast path", async () => {
    const fast = stdio(true);
    const plain = stdio(false);
    if (era === "legacy")
      for (const server of [fast, plain]) await server.exchange(JSON.stringify(initialize), "begin");
    for (const line of messages(era)) {
      const [ours, theirs] = [await fast.exchange(line, idIn(line)), await plain.exchange(line, idIn(line))];
      expect(ours, line.slice(0, 200)).toBe(theirs);
    }
  });

  test("random calls get the same bytes with and without the fast path", async () => {
    await compareOnStdio(era, 300);
  });

  test("the SDK handles no call of a known shape, and only the first call of another", async () => {
    const handled = handledBySdk();
    const { exchange } = stdio(true);
    if (era === "legacy") await exchange(JSON.stringify(initialize), "begin");
    const call = (id: number, more: object = {}) =>
      exchange(JSON.stringify(callOf(era, id, { name: "say", arguments: { what: `${id}` } }, more)), id);
    for (let id = 1; id <= 5; id++) await call(id);
    expect(handled()).toBe(0);
    for (let id = 6; id <= 10; id++) await call(id, { "com.example/mine": 1 });
    // The handshake, which the SDK sees only now, and the call.
    expect(handled()).toBe(2);
  });

  test("calls of every kind get the same bytes as the first message after the handshake", async () => {
    for (const line of messages(era)) {
      const fast = stdio(true);
      const plain = stdio(false);
      if (era === "legacy")
        for (const server of [fast, plain]) await server.exchange(JSON.stringify(initialize), "begin");
      const [ours, theirs] = [await fast.exchange(line, idIn(line)), await plain.exchange(line, idIn(line))];
      expect(ours, line.slice(0, 200)).toBe(theirs);
    }
  });

  test("a cancelled call is aborted and gets no response", async () => {
    for (const fastPath of [true, false]) {
      const aborted: string[] = [];
      const { exchange, send } = stdio(fastPath, aborted);
      if (era === "legacy") await exchange(JSON.stringify(initialize), "begin");
      const wait = (id: number) => JSON.stringify(callOf(era, id, { name: "wait", arguments: { ms: 1 } }));
      await exchange(wait(1), 1);
      send(JSON.stringify(callOf(era, 2, { name: "wait", arguments: {} })));
      const params = { requestId: 2, reason: "enough", ...(era === "modern" && { _meta: META }) };
      const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      const answered = await exchange(cancel, undefined);
      await exchange(wait(3), 3);
      expect(aborted).toEqual(["wait"]);
      expect(answered).not.toContain('"id":2');
    }
  });
});

const nameIn = (line: string) => /"name":"(\w+)"/.exec(line)?.[1] ?? "say";

describe.each(ERAS)("over HTTP, %s", (era) => {
  test("calls get the same bytes with and without the fast path", async () => {
    const [fast, plain] = [await http(), await http({ fastPath: false })];
    const sessions = [await begin(fast, era), await begin(plain, era)];
    // In a session a question needs a second stream, which other tests cover.
    for (const body of messages(era).filter((line) => era === "modern" || !line.includes('"ask"'))) {
      const [ours, theirs] = await Promise.all(
        [fast, plain].map((url, index) =>
          exchange(url, { headers: { ...headersFor(era, nameIn(body)), ...sessions[index] }, body }),
        ),
      );
      expect(ours, body.slice(0, 200)).toEqual(theirs);
    }
  });

  test("random calls get the same bytes with and without the fast path", async () => {
    await compareOverHttp(era, 200);
  });

  test("calls with other headers, hosts or tokens get the same bytes with and without the fast path", async () => {
    const secret = { authorization: "Bearer a-long-and-secret-token" };
    const options = { token: "a-long-and-secret-token", maxBodyBytes: 4_000, allowedHosts: ["bot.example"] };
    const [fast, plain] = [await http(options), await http({ ...options, fastPath: false })];
    const sessions = [await begin(fast, era, secret), await begin(plain, era, secret)];
    const body = (id: number, what = "hi") =>
      JSON.stringify(callOf(era, id, { name: "say", arguments: { what } }));
    const odd: readonly (readonly [headers: Record<string, string | undefined>, body?: string | Buffer])[] = [
      [{}],
      [{}],
      [{ host: "bot.example" }],
      [{ host: "bot.example" }],
      [{ host: "evil.example" }],
      [{ host: "evil.example" }],
      [{ origin: "https://evil.example" }],
      [{ authorization: "Bearer another" }],
      [{ authorization: undefined }],
      [{ authorization: "Basic eDp5" }],
      [{ accept: "application/json" }],
      [{ accept: "application/json" }],
      [{ accept: undefined }],
      [{ "content-type": "text/plain" }],
      [{ "content-type": "application/json; charset=utf-8" }],
      [{ "content-type": "application/json; charset=utf-8" }],
      [{ "mcp-protocol-version": undefined }],
      [{ "mcp-protocol-version": undefined }],
      [{ "mcp-protocol-version": "2024-01-01" }],
      [{ "mcp-protocol-version": "2025-06-18" }],
      [{ "mcp-protocol-version": "2025-06-18" }],
      [{ "mcp-method": "tools/list" }],
      [{ "mcp-name": "draw" }],
      [{ "mcp-name": undefined, "mcp-method": undefined }],
      [{ "mcp-session-id": "11111111-1111-1111-1111-111111111111" }],
      [{}, "x".repeat(5_000)],
      [{}, body(1, "x".repeat(5_000))],
      [{ "transfer-encoding": "chunked" }, body(1, "x".repeat(5_000))],
      [{}, Buffer.from([0x7b, 0xff, 0x7d])],
      [{}, ""],
      [{}, "[]"],
      [{}, `[${body(1)}]`],
      [{}],
    ];
    for (const [index, [changed, sent]] of odd.entries()) {
      const [ours, theirs] = await Promise.all(
        [fast, plain].map((url, server) => {
          const all = { ...headersFor(era), ...secret, ...sessions[server], ...changed };
          const headers = Object.fromEntries(
            Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
          );
          return exchange(url, { headers, body: sent ?? body(index) });
        }),
      );
      expect(ours, JSON.stringify(changed)).toEqual(theirs);
    }
  });

  test("the SDK handles no call of a known shape, and only the first call of another", async () => {
    const handled = handledBySdk();
    const url = await http();
    const session = await begin(url, era);
    const before = handled();
    const call = async (id: number, more: object = {}) => {
      const body = JSON.stringify(callOf(era, id, { name: "say", arguments: { what: `${id}` } }, more));
      const { status } = await exchange(url, { headers: { ...headersFor(era), ...session }, body });
      expect(status).toBe(200);
    };
    for (let id = 1; id <= 5; id++) await call(id);
    // A session belongs to the SDK, which sees the first call.
    expect(handled() - before).toBe(era === "modern" ? 0 : 1);
    for (let id = 6; id <= 10; id++) await call(id, { "com.example/mine": 1 });
    expect(handled() - before).toBe(era === "modern" ? 1 : 2);
  });
});

describe("over HTTP", () => {
  test("handshakes and lists get the same bytes with and without the fast path", async () => {
    const [fast, plain] = [await http(), await http({ fastPath: false })];
    const bodies = ["server/discover", "tools/list", "ping", "prompts/list", "no/such"].flatMap((method) =>
      [{ _meta: META }, { _meta: { ...META, progressToken: 1 } }, { _meta: META, cursor: "x" }, {}].map(
        (params, id) => ({ method, body: JSON.stringify({ jsonrpc: "2.0", id, method, params }) }),
      ),
    );
    for (const { method, body } of bodies)
      for (const more of [{}, { "mcp-name": "say" }, { accept: "*/*" }, { "mcp-method": "tools/call" }]) {
        const { "mcp-name": _, ...usual } = headersFor("modern");
        const headers: Record<string, string> = { ...usual, "mcp-method": method, ...more };
        const [ours, theirs] = await Promise.all(
          [fast, plain].map((url) => exchange(url, { headers, body })),
        );
        expect(ours, `${body} ${JSON.stringify(more)}`).toEqual(theirs);
      }
  });

  test("a call is aborted when a client of 2026 disconnects", async () => {
    for (const options of [{}, { fastPath: false }]) {
      const aborted: string[] = [];
      const url = await http(options, aborted);
      const headers = headersFor("modern", "wait");
      const body = (id: number, args: object) =>
        JSON.stringify(callOf("modern", id, { name: "wait", arguments: args }));
      await exchange(url, { headers, body: body(1, { ms: 1 }) });
      const sending = httpRequest(url, { method: "POST", headers });
      sending.on("error", () => {});
      sending.end(body(2, {}));
      await new Promise((resolve) => sending.once("finish", resolve));
      // Once another call is answered, the first one is running.
      await exchange(url, { headers, body: body(3, { ms: 1 }) });
      sending.destroy();
      await expect.poll(() => aborted).not.toEqual([]);
      expect(aborted).toEqual(["wait"]);
    }
  });

  test("a call in a session is aborted by a cancellation that follows it at once", async () => {
    for (const options of [{}, { fastPath: false }]) {
      const aborted: string[] = [];
      const url = await http(options, aborted);
      const headers = { ...headersFor("legacy"), ...(await begin(url, "legacy")) };
      const call = (id: number, args: object) =>
        JSON.stringify(callOf("legacy", id, { name: "wait", arguments: args }));
      await exchange(url, { headers, body: call(1, { ms: 1 }) });
      const sending = httpRequest(url, { method: "POST", headers });
      sending.on("error", () => {});
      sending.end(call(2, {}));
      await new Promise((resolve) => sending.once("finish", resolve));
      await exchange(url, { headers, body: call(3, { ms: 1 }) });
      const params = { requestId: 2, reason: "enough" };
      const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      expect(await exchange(url, { headers, body })).toMatchObject({ status: 202 });
      await expect.poll(() => aborted).not.toEqual([]);
      sending.destroy();
    }
  });

  test("each call is attributed to its own token, not to the previous call's", async () => {
    const names: Record<string, string> = { "token-of-a": "a", "token-of-b": "b" };
    const surfaceOfB = { ...app().surface, tools: app().surface.tools.filter(({ name }) => name !== "say") };
    const url = await http({
      identify: async (token) => {
        const id = names[token];
        return id === undefined ? undefined : { id, ...(id === "b" && { surface: surfaceOfB }) };
      },
    });
    const call = (id: number, token: string) =>
      exchange(url, {
        headers: { ...headersFor("modern"), authorization: `Bearer ${token}` },
        body: JSON.stringify(callOf("modern", id, { name: "say", arguments: { what: "hi" } })),
      });
    expect((await call(1, "token-of-a")).body).toContain("hi");
    expect((await call(2, "token-of-a")).body).toContain("hi");
    expect((await call(3, "token-of-b")).body).toContain("There is no tool");
    expect((await call(4, "token-of-c")).status).toBe(401);
    delete names["token-of-a"];
    expect((await call(5, "token-of-a")).status).toBe(401);
  });
});
