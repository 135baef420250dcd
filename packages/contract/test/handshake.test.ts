import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, test } from "vitest";
import { defineServer, type McpApp } from "../src/index.ts";
import { createMcpApp } from "../src/internal.ts";
import { HandshakeAnswers } from "../src/mcp/fast-path/handshake.ts";
import { internals } from "../src/mcp/internals.ts";
import { newServerOf } from "../src/mcp/server.ts";
import { StdioTransport } from "../src/mcp/stdio-transport.ts";
import { notesApp } from "./notes-product.ts";

const client = { name: "raw", version: "1" };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": client,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const legacy = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const modern = (id: unknown, method: string, meta: object = {}, params: object = {}) =>
  legacy(id, method, { ...params, _meta: { ...envelope, ...meta } });
const initialize = (params: object = {}, version: unknown = "2025-11-25") =>
  legacy(1, "initialize", { protocolVersion: version, capabilities: {}, clientInfo: client, ...params });
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

const extended = createMcpApp({
  surface: {
    ...notesApp().app.surface,
    instructions: "",
    resources: [
      { uri: "ui://a", name: "a", title: "A", description: "A", mimeType: "text/html;profile=mcp-app" },
    ],
    prompts: [{ name: "p", title: "P", description: "P", arguments: [] }],
    skills: [{ uri: "skill://a", name: "a" }],
  },
  outputSchemas: false,
  toolsChange: true,
  hasTasks: true,
  load: async () => {
    throw new Error("nothing is called");
  },
});
const APPS: readonly (readonly [string, McpApp])[] = [
  ["an app of tools", notesApp().app],
  ["an app with everything", extended],
  ["an app of nothing", defineServer({ name: "é", version: "0", instructions: "…" }).app({ tools: [] })],
];

/** Answered in advance for every app. */
const USUAL: readonly (readonly unknown[])[] = [
  ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07", "2026-07-28", "1999", ""].map(
    (version) => [
      initialize({}, version),
      initialized,
      legacy("p", "ping"),
      legacy(2, "tools/list"),
      legacy(-3, "tools/list", { _meta: { progressToken: 7 } }),
      legacy(4, "ping", {}),
    ],
  ),
  [
    initialize({
      capabilities: {
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        experimental: { own: { a: [1] } },
        extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
      },
      clientInfo: { ...client, title: "Raw", websiteUrl: "https://raw.example", description: "é " },
    }),
  ],
  [initialize({ capabilities: { elicitation: {}, sampling: {}, roots: {} } })],
  [modern(1, "server/discover"), modern("two", "tools/list"), modern(3, "server/discover")],
  [modern(1, "tools/list", { progressToken: "a" }), modern(2, "tools/list")],
  [modern(1, "server/discover"), initialize(), legacy(2, "tools/list")],
];

/** Their last message is left to the SDK. */
const UNUSUAL: readonly (readonly unknown[])[] = [
  [legacy(1, "tools/list")],
  [legacy(1, "ping")],
  [initialized],
  [initialize({}, 7)],
  [initialize({ capabilities: { tasks: {} } })],
  [initialize({ capabilities: { roots: [] } })],
  [initialize({ capabilities: { elicitation: { form: { applyDefaults: "x" } } } })],
  [initialize({ capabilities: { experimental: { deep: nested(5_000) } } })],
  [initialize({ capabilities: null })],
  [initialize({ clientInfo: { name: "raw" } })],
  [initialize({ clientInfo: { ...client, icons: "none" } })],
  [initialize({ _meta: envelope })],
  [initialize({ more: 1 })],
  [initialize(), initialize()],
  [initialize(), modern(2, "tools/list")],
  [initialize(), legacy(2, "tools/list", { cursor: 5 })],
  [initialize(), legacy(2, "tools/list", [])],
  [initialize(), legacy(2, "tools/call", { name: "list_notes" })],
  [initialize(), { ...legacy(2, "tools/list"), more: true }],
  [initialize(), legacy(1.5, "tools/list")],
  [initialize(), legacy(null, "tools/list")],
  [initialize(), [legacy(2, "ping")]],
  [initialize(), { jsonrpc: "2.0", id: 2, result: {} }],
  [modern(1, "ping")],
  [modern(1, "server/discover", { "io.modelcontextprotocol/protocolVersion": "2031-01-01" })],
  [modern(1, "server/discover", { "io.modelcontextprotocol/clientInfo": {} })],
  [modern(1, "server/discover", { "io.modelcontextprotocol/clientCapabilities": undefined })],
  [modern(1, "server/discover", { progressToken: {} })],
  [modern(1, "tools/list"), initialize()],
  [modern(1, "tools/list", {}, { cursor: "x" })],
  ["text"],
  [null],
];

describe.each(APPS)("the prebuilt handshake of %s", (_, app) => {
  const handshake = app[internals].handshake;
  if (handshake === undefined) throw new Error("no handshake");

  test.each([...USUAL, ...UNUSUAL].map((messages) => [shown(messages), messages]))(
    "answers with the same bytes as the SDK: %s",
    async (_, messages) => {
      const answers = new HandshakeAnswers(handshake);
      const early = messages.map((message) => answers.answer(sent(message)));
      const passedAt = early.findIndex(({ kind }) => kind === "passed");
      expect(passedAt).toBe(UNUSUAL.includes(messages) ? messages.length - 1 : -1);
      const lines = early.flatMap((one) => (one.kind === "answered" ? [`${one.text}\n`] : []));
      await using sdk = sdkTalk(app, messages);
      await expect.poll(() => sdk.lines).toEqual(expect.arrayContaining(lines));
    },
  );
});

describe("a server process on stdio", () => {
  test("sends the same bytes with and without the fast path, and continues after the handshake", async () => {
    const call = (id: number, args: object) => ({ name: "add_note", arguments: args, id });
    const conversations = [
      [
        initialize(),
        initialized,
        legacy(2, "tools/list"),
        legacy(3, "tools/call", call(3, { text: "one" })),
        legacy(2, "tools/list"),
        legacy(4, "no/such"),
        legacy(5, "ping"),
      ],
      [
        modern(1, "server/discover"),
        modern(2, "tools/list"),
        modern(3, "tools/call", {}, { name: "count_slowly", arguments: { to: 1_000_000 } }),
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3, _meta: envelope } },
        modern(4, "tools/call", {}, { name: "list_notes", arguments: {} }),
      ],
      ["nonsense", initialize(), legacy(5, "tools/list")],
    ];
    for (const messages of conversations) {
      const early = await talk([], messages);
      // Requests sent together may be answered in any order.
      expect(early.toSorted()).toEqual((await talk(["plain"], messages)).toSorted());
      expect(early.length).toBeGreaterThan(2);
    }
  });

  test("answers the handshake and the list before it loads the SDK", async () => {
    const said = await talk(
      ["modules"],
      [initialize(), initialized, legacy(2, "tools/list"), legacy(3, "no/such")],
    );
    const [modules, , list, unknown] = said.map((line) => JSON.parse(line));
    expect(modules).toEqual({ sdk: [] });
    expect(list).toMatchObject({ id: 2, result: { tools: expect.any(Array) } });
    expect(unknown).toMatchObject({ id: 3, error: { code: -32601 } });
  });

  test("answers a client that closes its end right away, and exits", async () => {
    const child = spawn(process.execPath, stdioArgs([]), { stdio: ["pipe", "pipe", "ignore"] });
    child.stdin.end(`${JSON.stringify(initialize())}\n`);
    const heard = child.stdout.setEncoding("utf8").toArray();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect((await heard).join("")).toContain('"serverInfo"');
  });
});

function sent(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message));
}

function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
}

function shown(messages: readonly unknown[]): string {
  return messages.map((message) => JSON.stringify(message).slice(0, 90)).join(" ");
}

function sdkTalk(app: McpApp, messages: readonly unknown[]) {
  const input = new PassThrough();
  const lines: string[] = [];
  const newServer = newServerOf(app);
  const transport = new StdioTransport(input, ((text: string, written: () => void) => {
    lines.push(...text.split(/(?<=\n)/));
    written();
  }) as never);
  const { close } = serveStdio(({ era }) => newServer({ era, transport: "stdio" }), { transport });
  for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
  return { lines, [Symbol.asyncDispose]: close };
}

function stdioArgs(how: readonly string[]): readonly string[] {
  return [
    "--conditions=toolpact-source",
    fileURLToPath(new URL("handshake-stdio.ts", import.meta.url)),
    ...how,
  ];
}

async function talk(how: readonly string[], messages: readonly unknown[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, stdioArgs(how), { stdio: ["pipe", "pipe", "inherit"] });
  for (const message of messages)
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  const cancelled = messages.filter((message) => Object(message).method === "notifications/cancelled");
  const asked = messages.filter((message) => typeof message === "string" || Object(message).id !== undefined);
  const lines: string[] = [];
  let rest = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map(withoutChance));
    if (lines.length >= asked.length - cancelled.length + (how.includes("modules") ? 1 : 0))
      child.stdin.end();
  }
  return lines;
}

function withoutChance(line: string): string {
  return line
    .replaceAll(/elapsed_ms\\?":\d+/g, "elapsed_ms:0")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID");
}
