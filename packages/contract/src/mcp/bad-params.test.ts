import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errors, notesCatalog, product } from "../../test/notes-product.ts";
import { type Bug, defineServer, type McpApp, ok, type Prompt } from "../index.ts";
import { createMcpApp, successEnvelope, surfaceOf } from "../internal.ts";
import { createHttpHandler } from "./http-handler.ts";

const resource = product.defineResource({
  uri: "notes://{id}",
  name: "note",
  title: "Note",
  description: "A note.",
  mimeType: "text/plain",
  needs: [],
  read: async () => ok({ text: "hello" }),
});
const prompt: Prompt = {
  name: "summary",
  title: "Summary",
  description: "Sums up.",
  arguments: [{ name: "about", description: "What", required: false }],
  messages: () => [{ role: "user", content: { type: "text", text: "Sum up." } }],
};

/** The caller's mistakes. */
const mistakes: readonly (readonly [method: string, params: object])[] = [
  ["prompts/get", { name: "summary", arguments: null }],
  ["prompts/get", { name: "summary", arguments: [] }],
  ["prompts/get", { name: "summary", arguments: "all" }],
  ["prompts/get", { name: "summary", arguments: { about: 5 } }],
  ["prompts/get", { name: 5 }],
  ["prompts/get", {}],
  ["prompts/get", { name: "nothing" }],
  ["prompts/get", { name: "__proto__" }],
  ["resources/read", { uri: "nothing://here" }],
  ["resources/read", { uri: 5 }],
  ["resources/read", {}],
  ["tools/call", { name: "add_note", arguments: null }],
  ["tools/call", { name: "add_note", arguments: [] }],
  ["tools/call", { name: "add_note", arguments: "text" }],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "constructor", arguments: {} }],
  ["tools/call", {}],
  ["tools/list", { cursor: 5 }],
  ["completion/complete", {}],
  ["completion/complete", { ref: { type: "nothing" }, argument: { name: "a", value: "b" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "summary" }, argument: null }],
];

const eras = {
  "2025-11-25": {},
  "2026-07-28": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

describe.each(Object.entries(eras))("in %s", (version, meta) => {
  async function answerTo(app: McpApp, method: string, params: object) {
    const { name } = params as { readonly name?: unknown };
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        host: "localhost",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": method,
        ...(typeof name === "string" && { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    });
    const text = await (await createHttpHandler(app).fetch(request)).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  }

  test("arguments that are null are none, so the tool says in its envelope what it lacks", async () => {
    const server = defineServer({ name: "greeter", version: "1.0.0" });
    const tool = server.tool({
      name: "greet",
      title: "Greet",
      description: "Greet somebody.",
      effect: "none",
      openWorld: false,
      errors: [],
      input: z.strictObject({ whom: z.string().describe("A name") }),
      output: z.object({}),
      handler: () => ok({}),
    });
    const app = server.app({ tools: [tool] });
    const { result } = await answerTo(app, "tools/call", { name: "greet", arguments: null });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "bad_input", message: expect.stringContaining("whom") } },
    });
  });

  test.each(mistakes)("%s with %j is the caller's mistake, not a bug", async (method, params) => {
    const bugs: Bug[] = [];
    const app = createMcpApp({
      surface: surfaceOf({
        name: "notes",
        version: "1.0.0",
        instructions: "",
        catalog: notesCatalog,
        format: successEnvelope(errors),
        resources: [resource],
        prompts: [prompt],
      }),
      load: async () => ({
        pipeline: { call: async ({ tool }) => ({ kind: "unknown_tool", message: `Unknown tool ${tool}.` }) },
        resources: [resource],
        prompts: [prompt],
      }),
      onBug: (bug) => bugs.push(bug),
    });
    const { error } = await answerTo(app, method, params);
    // A repeating header of the wrong kind is rejected earlier.
    expect([-32602, -32020]).toContain(error.code);
    expect(bugs).toEqual([]);
  });
});
