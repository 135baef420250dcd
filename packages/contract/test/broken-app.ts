import * as z from "zod";
import { defineServer, type JsonObject, type McpApp, ok } from "../src/index.ts";
import { createMcpApp, type Pipeline } from "../src/internal.ts";

const server = defineServer({ name: "broken", version: "1.0.0" });
export const { errors } = server;

const text = z.strictObject({ text: z.string().describe("Any text") });
const head = { effect: "none", openWorld: false, errors: [] } as const;
const done = z.object({ done: z.boolean() });

/** Each tool breaks one promise, for one kind of argument. */
const brokenTools = [
  server.tool({
    ...head,
    name: "throws",
    title: "Throw",
    description: "Throws at a zero byte.",
    input: text,
    output: done,
    handler: (input) => {
      if (input.text.includes("\0")) throw new Error("a path must not have a zero byte");
      return ok({ done: true });
    },
  }),
  server.tool({
    ...head,
    name: "finds_inherited",
    title: "Find",
    description: "Looks a name up in a table, and finds what every object has.",
    input: text,
    output: z.object({ found: z.string() }),
    handler: (input) => ok({ found: ({} as Record<string, string>)[input.text] ?? "nothing" }),
  }),
  server.tool({
    ...head,
    name: "never_ends",
    title: "Wait",
    description: "Waits for ever for an empty text.",
    deadlineMs: Infinity,
    input: text,
    output: done,
    handler: (input) => (input.text === "" ? new Promise<never>(() => {}) : ok({ done: true })),
  }),
  server.tool({
    ...head,
    name: "leaks_a_stack",
    title: "Leak",
    description: "Tells the caller where in the code it failed.",
    errors: ["busy"],
    input: text,
    output: done,
    handler: (input) =>
      input.text.includes("..")
        ? errors.fail("busy", String(new Error("outside").stack))
        : ok({ done: true }),
  }),
];

export function brokenApp(): McpApp {
  return server.app({ tools: brokenTools });
}

/** Answers that no tool declared with this library could give. */
export function appAnswering(envelope: JsonObject, failed: boolean, spoken: JsonObject = envelope): McpApp {
  const pipeline: Pipeline = {
    call: async () => ({
      kind: "rendered",
      failed,
      outcome: ok(null),
      envelope,
      text: JSON.stringify(spoken),
      content: [],
    }),
  };
  return createMcpApp({ surface: brokenApp().surface, load: async () => ({ pipeline }) });
}
