import { expect, test } from "vitest";
import { addNote, errors, product } from "../../test/notes-product.ts";
import { lane, ok, successEnvelope } from "../index.ts";
import { type OneLaneAppOptions, oneLaneApp } from "./one-lane-app.ts";

const app = (options: Partial<OneLaneAppOptions<object>> = {}) =>
  oneLaneApp({
    name: "notes",
    version: "1.0.0",
    instructions: "",
    product,
    tools: [addNote],
    lane: lane({ name: "all", guards: [], dialect: successEnvelope(errors).timed }),
    services: { store: async () => ok({ notes: new Map() }) },
    onBug: () => {},
    ...options,
  });

test("output schemas are listed where they are asked for", () => {
  expect(app().surface.tools[0]).not.toHaveProperty("outputSchema");
  expect(app({ outputSchemas: true }).surface.tools[0]).toHaveProperty("outputSchema");
});

test("a key for questions that is too short is told at the start", () => {
  expect(() => app({ stateKey: "k".repeat(32) })).not.toThrow();
  expect(() => app({ stateKey: "short" })).toThrow("at least 32 bytes");
});
