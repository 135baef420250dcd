import { ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errors, notesCatalog, product } from "../test/notes-product.ts";
import { successEnvelope } from "./formats/success-envelope.ts";
import { catalog } from "./product.ts";
import { surfaceOf } from "./surface.ts";

const base = {
  name: "notes",
  version: "1.0.0",
  instructions: "Notes.",
  format: successEnvelope(errors),
};

function withInput(input: z.ZodObject) {
  return catalog([
    product.defineTool({
      name: "odd",
      title: "Odd",
      description: "Odd.",
      category: "read",
      effect: "none",
      openWorld: false,
      profiles: ["full"],
      needs: [],
      errors: [],
      input,
      output: z.object({}),
      handler: () => ok({}),
    }),
  ]);
}

describe("the surface", () => {
  test("lists tools sorted by name, with all four hints and no $schema", () => {
    const { tools } = surfaceOf({ ...base, catalog: notesCatalog });
    expect(tools.map((tool) => tool.name)).toEqual([
      "add_note",
      "break_down",
      "count_slowly",
      "delete_note",
      "get_note",
      "list_notes",
    ]);
    expect(tools.find((tool) => tool.name === "delete_note")).toEqual({
      name: "delete_note",
      title: "Delete a note",
      description: "Delete a note for good. The person is asked first.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", pattern: "^\\d+$", description: "Id of a note, as list_notes gives it" },
          confirm: {
            type: "boolean",
            description: "True when the person agreed and cannot be asked by the client",
          },
        },
        required: ["id"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          success: { type: "boolean" },
          data: { anyOf: [expect.objectContaining({ type: "object" }), { type: "null" }] },
          error: { type: "object" },
          meta: { type: "object" },
        },
        required: ["success", "data"],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    });
  });

  test("gives search words and always-loaded tools to clients with their own search", () => {
    const [tool] = withInput(z.strictObject({})).tools;
    if (tool === undefined) throw new Error("There is no tool.");
    const metaOf = (more: object) =>
      surfaceOf({ ...base, catalog: catalog([{ ...tool, ...more }]) }).tools[0]?._meta;
    expect(metaOf({})).toBeUndefined();
    expect(metaOf({ searchWords: "write down, keep" })).toEqual({
      "anthropic/searchHint": "write down, keep",
    });
    expect(metaOf({ isAlwaysLoaded: true })).toEqual({ "anthropic/alwaysLoad": true });
  });

  test.each([
    ["takes unknown arguments", z.object({})],
    ["at has no type", z.strictObject({ at: z.unknown().describe("When") })],
    ["at has a union of types", z.strictObject({ at: z.number().nullable().describe("When") })],
    ["at is a tuple", z.strictObject({ at: z.tuple([z.number(), z.number()]).describe("Where") })],
    ["at.items has no type", z.strictObject({ at: z.array(z.unknown()).describe("Any") })],
    ["at.items is a tuple", z.strictObject({ at: z.array(z.tuple([z.number()])).describe("Points") })],
    [
      "at.values has a union of types",
      z.strictObject({ at: z.record(z.string(), z.number().nullable()).describe("Map") }),
    ],
    ["at has no description", z.strictObject({ at: z.number() })],
  ])("refuses at start an input that %s", (flaw, input) => {
    expect(() => surfaceOf({ ...base, catalog: withInput(input) })).toThrow(flaw);
  });

  test("rejects non-JSON values at startup", () => {
    expect(() =>
      surfaceOf({ ...base, catalog: withInput(z.strictObject({ at: z.date().describe("When") })) }),
    ).toThrow();
  });

  test("rejects instructions that clients would cut", () => {
    expect(() => surfaceOf({ ...base, catalog: notesCatalog, instructions: "x".repeat(2049) })).toThrow(
      "clients cut them at 2048",
    );
  });
});

describe("a catalog", () => {
  test("narrows by profile, category, name and read-only, without widening", () => {
    const names = (selection: object) => notesCatalog.select(selection).tools.map((tool) => tool.name);
    expect(names({ profile: "readonly" })).toEqual(["get_note", "list_notes"]);
    expect(names({ profile: "readonly", tools: ["add_note", "get_note"] })).toEqual(["get_note"]);
    expect(names({ toolsets: ["write"] })).toEqual(["add_note", "delete_note"]);
    expect(names({ toolsets: ["write"], readOnly: true })).toEqual([]);
    expect(names({ profile: "full", excludeTools: ["break_down", "count_slowly"] })).toEqual([
      "add_note",
      "delete_note",
      "get_note",
      "list_notes",
    ]);
  });

  test("rejects a name that clients would reject, and a duplicate", () => {
    const [tool] = notesCatalog.tools;
    if (tool === undefined) throw new Error("no tool");
    expect(() => catalog([{ ...tool, name: "Add.Note" }])).toThrow("1–64 of a–z, 0–9 and _");
    expect(() => catalog([tool, tool])).toThrow("declared twice");
  });
});
