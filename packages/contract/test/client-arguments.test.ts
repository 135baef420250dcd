import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { defineServer, ok } from "../src/index.ts";
import { connect as connectInProcess } from "../src/testing/index.ts";
import { connect, legs } from "./legs.ts";
import { notesApp } from "./notes-product.ts";

/** Gemini CLI adds it to every tool. */
const added = { wait_for_previous: true };

describe.each(legs)("over $name", (leg) => {
  test("a call with Gemini's wait_for_previous is the same call as without it", async () => {
    const { client, close } = await connect(leg);
    onTestFinished(close);
    // The second note takes the fast path.
    for (const text of ["one", "two"]) {
      const first = await client.callTool({ name: "add_note", arguments: { text, ...added } });
      expect(first.structuredContent).toMatchObject({ success: true });
      const again = await client.callTool({ name: "add_note", arguments: { text } });
      expect(again.structuredContent).toMatchObject({ error: { code: "duplicate" } });
    }
  });
});

test("wait_for_previous is in no audit record", async () => {
  const { app, audited } = notesApp();
  await using server = await connectInProcess(app);
  await server.call("add_note", { text: "one", ...added });
  // Arguments that cannot be parsed are recorded unchanged.
  await server.call("add_note", { text: 1, ...added });
  expect(audited.map(({ input }) => input)).toEqual([{ text: "one" }, { text: 1 }]);
});

test("any other argument that a tool does not declare is refused", async () => {
  await using server = await connectInProcess(notesApp().app);
  expect(await server.call("add_note", { text: "one", wait_for_next: true })).toMatchObject({
    error: { code: "invalid_input", message: expect.stringContaining("wait_for_next") },
  });
});

test("a tool that declares wait_for_previous gets it", async () => {
  const definition = defineServer({ name: "jobs", version: "1.0.0", instructions: "Queues." });
  const queue = definition.tool({
    name: "queue",
    title: "Queue",
    description: "Queue a job.",
    effect: "none",
    openWorld: false,
    errors: [],
    input: z.strictObject({ wait_for_previous: z.boolean().describe("Whether to wait") }),
    output: z.object({ waits: z.boolean() }),
    handler: ({ wait_for_previous }) => ok({ waits: wait_for_previous }),
  });
  const app = definition.app({ tools: [queue] });
  await using server = await connectInProcess(app);
  expect(await server.call("queue", added)).toMatchObject({ success: true, data: { waits: true } });
});
