import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio as serveSdkStdio } from "@modelcontextprotocol/server/stdio";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { defineErrors, type McpApp, ok, requireConsent, type SuccessNotes } from "../src/index.ts";
import {
  catalog,
  createMcpApp,
  createPipeline,
  deadline,
  defineProduct,
  provideServices,
  successEnvelope,
  surfaceOf,
} from "../src/internal.ts";
import { StdioFastPath } from "../src/mcp/fast-path/stdio-fast-path.ts";
import { type HttpOptions, serveHttp } from "../src/mcp/http.ts";
import { newServerOf } from "../src/mcp/server.ts";
import { StdioTransport } from "../src/mcp/stdio-transport.ts";

// Calls of a shape that the SDK has accepted before skip its validation. These tests send the same messages to a server
// with the fast path and to one without: both must send the same bytes.

const errors = defineErrors(
  {
    invalid_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    duplicate: { category: "input", retryable: false, meaning: "The same call came twice" },
    denied: { category: "policy", retryable: false, meaning: "A person said no" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    internal: { category: "server", retryable: false, meaning: "A defect of the server" },
  },
  { badInput: "invalid_input", duplicate: "duplicate", deadline: "too_slow", internal: "internal" },
);
const product = defineProduct<{ services: Record<never, never>; notes: SuccessNotes }>()({
  errors,
  categories: ["all"],
  profiles: ["all"],
  services: {},
});
const head = {
  description: "A tool of this test.",
  category: "all",
  effect: "none",
  openWorld: false,
  profiles: ["all"],
  needs: [],
  output: z.object({ said: z.string() }),
} as const;

/** One tool for each kind of answer. */
function app(aborted: string[] = []): McpApp {
  const tools = catalog([
    product.defineTool({
      ...head,
      name: "say",
      title: "Say",
      errors: ["denied"],
      maxBytes: 2_000,
      input: z.strictObject({ what: z.string().describe("What to say") }),
      handler: ({ what }) => (what === "no" ? errors.fail("denied", "No.") : ok({ said: what })),
    }),
    product.defineTool({
      ...head,
      name: "draw",
      title: "Draw",
      hasContent: true,
      errors: [],
      input: z.strictObject({}),
      handler: () => ok({ said: "" }, { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
    }),
    product.defineTool({
      ...head,
      name: "tell",
      title: "Tell",
      errors: [],
      input: z.strictObject({}),
      handler: async (_input, { log, progress }) => {
        progress({ done: 1, total: 2 });
        log("warning", "half done");
        await new Promise((resolve) => setImmediate(resolve));
        log("info", "done");
        return ok({ said: "told" });
      },
    }),
    product.defineTool({
      ...head,
      name: "ask",
      title: "Ask",
      errors: ["denied"],
      input: z.strictObject({}),
      handler: (_input, { ask }) =>
        requireConsent(ask, { message: "Really?", confirmed: undefined, code: "denied" }) ??
        ok({ said: "agreed" }),
    }),
    product.defineTool({
      ...head,
      name: "break_down",
      title: "Break down",
      errors: [],
      input: z.strictObject({}),
      handler: () => {
        throw new Error("a bug");
      },
    }),
    product.defineTool({
      ...head,
      name: "wait",
      title: "Wait",
      errors: [],
      input: z.strictObject({ ms: z.number().optional().describe("How long") }),
      handler: ({ ms }, { signal }) =>
        new Promise((resolve) => {
          if (ms !== undefined) setTimeout(() => resolve(ok({ said: "waited" })), ms);
          const stop = () => {
            aborted.push("wait");
            resolve(ok({ said: "stopped" }));
          };
          if (signal.aborted) stop();
          else signal.addEventListener("abort", stop);
        }),
    }),
  ]);
  const clock = { now: () => 0, after: () => () => {} };
  const stack = product.guardStack("all").use(deadline).answering(successEnvelope(errors)).bind({ clock });
  const surface = surfaceOf({
    name: "direct",
    version: "1.2.3",
    instructions: "For a test.",
    catalog: tools,
    format: stack.format,
  });
  const pipeline = createPipeline({
    catalog: tools,
    product,
    stackFor: () => stack,
    services: provideServices(product, {}),
    clock,
    newId: () => "one",
    onBug: () => {},
  });
  return createMcpApp({ surface, load: async () => ({ pipeline }) });
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** Calls with few names and envelopes, so that shapes repeat, and with any JSON as arguments or extra members. */
const randomCall = fc.record({
  name: fc.constantFrom("say", "say", "say", "draw", "tell", "break_down", "sey", "", "__proto__"),
  args: fc.oneof(
    fc.record({ what: fc.string({ unit: "binary" }) }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constant(undefined),
  ),
  meta: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.dictionary(
      fc.constantFrom("progressToken", "a/b", "io.modelcontextprotocol/logLevel", ...Object.keys(META)),
      fc.jsonValue({ maxDepth: 1 }),
      { maxKeys: 2 },
    ),
  ),
  extra: fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    fc.dictionary(
      fc.constantFrom("task", "x", "inputResponses", "requestState"),
      fc.jsonValue({ maxDepth: 1 }),
      {
        maxKeys: 1,
      },
    ),
  ),
});

type Era = "modern" | "legacy";

const ERAS: readonly Era[] = ["modern", "legacy"];

const initialize = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1" },
  },
};

function callOf(era: Era, id: unknown, params: object, more: object = {}): object {
  const meta = { ...(era === "modern" && META), ...more };
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
  };
}

const callWith = (id: number, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });

/** Envelopes that the SDK may reject. */
const BAD_METAS: readonly object[] = [
  { "io.modelcontextprotocol/clientCapabilities": 5 },
  { "io.modelcontextprotocol/related-task": 5 },
  { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
  { ...META, "io.modelcontextprotocol/clientInfo": 5 },
];

/** Valid, invalid and unusual messages. Each kind of call occurs at least twice. */
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
      // A name that ends with the text of this envelope, then the envelope itself.
      callWith(100 + index, { name: `say\n${JSON.stringify(meta)}`, arguments: { what: "hi" } }),
      callWith(200 + index, { ...say("hi"), _meta: meta }),
    ]),
  ];
}

/** Replaces secrets and session ids, which differ from run to run. */
function normal(text: string): string {
  return text
    .replace(/"requestState":"[^"]*"/g, '"requestState":"…"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "uuid");
}

/** The number of requests that the SDK has handled. */
function handledBySdk(): () => number {
  const spy = vi.spyOn(Server.prototype as unknown as { buildContext: () => unknown }, "buildContext");
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

/** A server on stdio in this process, and the text it has written since the last exchange. */
function stdio(fastPath: boolean, aborted: string[] = []) {
  const input = new PassThrough();
  let written = "";
  const wrote = new PassThrough();
  const transport = new StdioTransport(input, ((text: string, done: () => void) => {
    written += text;
    wrote.write(".");
    queueMicrotask(done);
    return true;
  }) as NodeJS.WritableStream["write"]);
  wrote.resume();
  const fast = fastPath ? new StdioFastPath(transport) : undefined;
  const newServer = newServerOf(app(aborted));
  const handle = serveSdkStdio(
    ({ era }) => newServer({ transport: "stdio", era, ...(fast && { onCall: fast.onCall }) }),
    { transport: fast ?? transport },
  );
  onTestFinished(() => handle.close());
  const send = (line: string) => void input.write(`${line}\n`);
  /** Sends a line, confirms questions to the user, and waits for the response to the id (or to a ping sent after it). */
  async function exchange(line: string, id: unknown): Promise<string> {
    written = "";
    send(line);
    if (id === undefined) send('{"jsonrpc":"2.0","id":"fence","method":"ping"}');
    const asked = new Set<unknown>();
    for (;;) {
      const lines = written.split("\n").slice(0, -1);
      const received = lines.map((text): { id?: unknown; method?: string } => JSON.parse(text));
      if (received.some((message) => message.method === undefined && message.id === (id ?? "fence"))) break;
      for (const message of received) {
        if (message.method !== "elicitation/create" || asked.has(message.id)) continue;
        asked.add(message.id);
        const result = { action: "accept", content: { confirm: "yes" } };
        send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
      }
      await once(wrote, "data");
    }
    return normal(written);
  }
  return { exchange, send };
}

function idIn(line: string): unknown {
  try {
    const { id } = JSON.parse(line) as { readonly id?: unknown };
    return typeof id === "string" || Number.isInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
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
    const [fast, plain] = [stdio(true), stdio(false)];
    if (era === "legacy")
      for (const server of [fast, plain]) await server.exchange(JSON.stringify(initialize), "begin");
    let id = 1_000;
    await fc.assert(
      fc.asyncProperty(randomCall, async ({ name, args, meta, extra }) => {
        const params = { name, ...(args !== undefined && { arguments: args }), ...extra };
        const line = JSON.stringify(callOf(era, id++, params, meta));
        const sent = idIn(line);
        expect(await fast.exchange(line, sent), line).toBe(await plain.exchange(line, sent));
      }),
      { numRuns: 300 },
    );
  });

  test("the SDK handles only the first call of a shape", async () => {
    const handled = handledBySdk();
    const { exchange } = stdio(true);
    if (era === "legacy") await exchange(JSON.stringify(initialize), "begin");
    const before = handled();
    for (let id = 1; id <= 5; id++)
      await exchange(JSON.stringify(callOf(era, id, { name: "say", arguments: { what: `${id}` } })), id);
    expect(handled() - before).toBe(1);
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

interface Exchanged {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** Sends one request and reads its whole response. */
async function exchange(
  url: string,
  {
    headers,
    body,
    method = "POST",
  }: { headers: Record<string, string>; body: string | Buffer; method?: string },
): Promise<Exchanged> {
  const sending = httpRequest(url, { method, headers });
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const text = (await response.setEncoding("utf8").toArray()).join("");
  // Length, encoding and date may differ.
  const { date: _date, "content-length": _length, "transfer-encoding": _pieces, ...rest } = response.headers;
  return {
    status: response.statusCode ?? 0,
    headers: JSON.parse(normal(JSON.stringify(rest))),
    body: normal(text),
  };
}

async function http(options: Partial<HttpOptions> = {}, aborted: string[] = []) {
  const server = await serveHttp(app(aborted), { port: 0, ...options });
  onTestFinished(server.close);
  return server.url;
}

function headersFor(era: Era, name = "say"): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era === "modern" ? "2026-07-28" : "2025-11-25",
    ...(era === "modern" && { "mcp-method": "tools/call", "mcp-name": name }),
  };
}

/** Starts a session for a client before 2026, and returns its header. */
async function begin(
  url: string,
  era: Era,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  if (era === "modern") return {};
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headersFor(era), ...headers },
    body: JSON.stringify(initialize),
  });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

const nameIn = (line: string) => /"name":"(\w+)"/.exec(line)?.[1] ?? "say";

describe.each(ERAS)("over HTTP, %s", (era) => {
  test("calls get the same bytes with and without the fast path", async () => {
    const [fast, plain] = [await http(), await http({ fastPath: false })];
    const sessions = [await begin(fast, era), await begin(plain, era)];
    // In a session a question needs a second stream: the tests of questions cover that.
    for (const body of messages(era).filter((line) => era === "modern" || !line.includes('"ask"'))) {
      const [ours, theirs] = await Promise.all(
        [fast, plain].map((url, index) =>
          exchange(url, { headers: { ...headersFor(era, nameIn(body)), ...sessions[index] }, body }),
        ),
      );
      expect(ours, body.slice(0, 200)).toEqual(theirs);
    }
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

  test("the SDK handles only the first call of a shape", async () => {
    const handled = handledBySdk();
    const url = await http();
    const session = await begin(url, era);
    const before = handled();
    for (let id = 1; id <= 5; id++) {
      const body = JSON.stringify(callOf(era, id, { name: "say", arguments: { what: `${id}` } }));
      const { status } = await exchange(url, { headers: { ...headersFor(era), ...session }, body });
      expect(status).toBe(200);
    }
    expect(handled() - before).toBe(1);
  });
});

describe("over HTTP", () => {
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
      // When another call is answered, the first one is running.
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
