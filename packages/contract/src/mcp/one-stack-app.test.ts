import { expect, test } from "vitest";
import { addNote, errors, product } from "../../test/notes-product.ts";
import { ok } from "../index.ts";
import { successEnvelope } from "../internal.ts";
import { oneStackApp } from "./one-stack-app.ts";

const app = (options: Pick<Parameters<typeof oneStackApp>[0], "outputSchemas" | "stateKey"> = {}) =>
  oneStackApp({
    name: "notes",
    version: "1.0.0",
    instructions: "",
    product,
    tools: [addNote],
    stack: product.guardStack("all").answering(successEnvelope(errors)).bind(),
    services: { store: async () => ok({ notes: new Map() }) },
    onBug: () => {},
    ...options,
  });

test("output schemas are listed unless they are left out", () => {
  expect(app().surface.tools[0]).toHaveProperty("outputSchema");
  expect(app({ outputSchemas: false }).surface.tools[0]).not.toHaveProperty("outputSchema");
});

test("a state key that is too short is rejected at startup", () => {
  expect(() => app({ stateKey: "k".repeat(32) })).not.toThrow();
  expect(() => app({ stateKey: "short" })).toThrow("at least 32 bytes");
});
