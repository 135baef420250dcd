import { once } from "node:events";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { onTestFinished } from "vitest";
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
import { serveClient } from "../src/mcp/serve-client.ts";
import { StdioTransport } from "../src/mcp/stdio-transport.ts";

const errors = defineErrors(
  {
    invalid_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    duplicate: { category: "input", retryable: false, meaning: "The same call came twice" },
    denied: { category: "policy", retryable: false, meaning: "A person said no" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    internal: { category: "server", retryable: false, meaning: "A bug in the server" },
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

export function app(aborted: string[] = []): McpApp {
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
        return ok({ said: "notified" });
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

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

export const BAD_METAS: readonly object[] = [
  { "io.modelcontextprotocol/clientCapabilities": 5 },
  { "io.modelcontextprotocol/related-task": 5 },
  { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
  { ...META, "io.modelcontextprotocol/clientInfo": 5 },
];

/** Few names and envelopes, to repeat shapes, with any JSON as arguments or extra members. */
export const randomCall = fc.record({
  isBare: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("say", "say", "say", "draw", "tell", "break_down") },
    fc.constantFrom("sey", "", "__proto__", "say\n", "say\u2028", 'say","x'),
    fc.constantFrom(...BAD_METAS).map((meta) => `say\n${JSON.stringify(meta)}`),
  ),
  args: fc.oneof(
    fc.record({ what: fc.string({ unit: "binary" }) }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constant(undefined),
  ),
  meta: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.constantFrom(...BAD_METAS),
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

export type Era = "modern" | "legacy";

export const ERAS: readonly Era[] = ["modern", "legacy"];

export const initialize = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1" },
  },
};

export function callOf(era: Era, id: unknown, params: object, more: object = {}): object {
  const meta = { ...(era === "modern" && META), ...more };
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
  };
}

/** Secrets and session ids differ between runs. */
export function normal(text: string): string {
  return text
    .replace(/"requestState":"[^"]*"/g, '"requestState":"…"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "uuid");
}

/** Text written since the last exchange. */
export function stdio(fastPath: boolean, aborted: string[] = []) {
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
  const serving = serveClient(app(aborted), { fastPath }, transport);
  onTestFinished(async () => (await serving).close());
  const send = (line: string) => void input.write(`${line}\n`);
  /** Confirms questions, and waits for the response to the id, or to a ping sent after it. */
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

export function idIn(line: string): unknown {
  try {
    const { id } = JSON.parse(line) as { readonly id?: unknown };
    return typeof id === "string" || Number.isInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
