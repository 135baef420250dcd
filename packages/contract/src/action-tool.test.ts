import { ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { hintsOf } from "./effects.ts";
import { defineErrors } from "./errors.ts";
import type { OkNotes } from "./formats/ok-envelope.ts";
import { defineProduct } from "./product.ts";
import { unportable } from "./schema.ts";

const errors = defineErrors(
  {
    bad: { category: "c", retryable: false, meaning: "" },
    gone: { category: "c", retryable: false, meaning: "" },
  },
  { badInput: "bad", duplicate: "bad", deadline: "bad", internal: "bad" },
);
const { defineActionTool } = defineProduct<{ notes: OkNotes }>()({
  errors,
  categories: ["shelf"],
  profiles: ["all"],
  services: {},
});

const shelf = z.string().describe("Which shelf");
const head = {
  name: "shelf",
  title: "Shelves",
  description: "Look after a shelf.",
  category: "shelf",
  openWorld: false,
  profiles: ["all"],
  needs: [],
  errors: ["gone"],
} as const;

const shelfTool = defineActionTool({
  ...head,
  actions: (action) => ({
    read: action({
      description: "Lists the books.",
      effect: "none",
      input: z.strictObject({ shelf, depth: z.int().min(1).max(9).optional().describe("Levels") }),
      output: z.object({}),
      handler: () => ok({}, { summary: "Read." }),
    }),
    add: action({
      description: "Adds a book.",
      effect: "create",
      input: z.strictObject({
        shelf,
        title: z.string().describe("Its title"),
        author: z.string().optional().describe("Who wrote it"),
      }),
      output: z.object({ label: z.string() }),
      handler: ({ title, author }) => ok({ label: `${author ?? "?"}: ${title}` }, { summary: "Added." }),
    }),
    remove: action({
      description: "Removes a book.",
      effect: "delete",
      input: z.strictObject({ shelf, book: z.string().describe("Which book") }),
      output: z.object({}),
      handler: ({ book }) => errors.fail("gone", `There is no book ${book}.`),
    }),
  }),
});

const problem = (args: Record<string, never> | object) => {
  const parsed = shelfTool.parse(args as never);
  return parsed.ok ? undefined : parsed.failure;
};

describe("an action tool", () => {
  test("is a flat object on the wire that every client accepts", () => {
    const schema = shelfTool.inputSchema("flat");
    expect(unportable(schema)).toBeUndefined();
    expect(schema).toMatchObject({
      type: "object",
      required: ["action"],
      additionalProperties: false,
      properties: {
        action: { enum: ["read", "add", "remove"] },
        title: { type: "string" },
        depth: { type: "integer", minimum: 1, maximum: 9 },
      },
    });
  });

  test("lists each action in oneOf form on request", () => {
    const schema = shelfTool.inputSchema("oneOf");
    expect(Object.keys(schema.properties as object)).toEqual([
      "action",
      "shelf",
      "depth",
      "title",
      "author",
      "book",
    ]);
    expect(schema).toMatchObject({
      additionalProperties: false,
      oneOf: [
        {
          title: "read",
          properties: { action: { const: "read" } },
          required: ["action", "shelf"],
          additionalProperties: false,
        },
        { title: "add", required: ["action", "shelf", "title"] },
        { title: "remove", required: ["action", "shelf", "book"] },
      ],
    });
  });

  test("lists each action's parameters in its description", () => {
    expect(shelfTool.description).toBe(
      "Look after a shelf.\n- read(shelf, depth?): Lists the books.\n- add(shelf, title, author?): Adds a book.\n- remove(shelf, book): Removes a book.",
    );
  });

  test("enforces each action's own rules and names the action, the parameter and the allowed values", () => {
    expect(problem({ action: "add", shelf: "a", title: "Emma" })).toBeUndefined();
    expect(problem({ action: "add", shelf: "a", title: "Emma", depth: 2 })).toBe(
      "shelf add has no parameter `depth`. It takes: shelf, title, author.",
    );
    expect(problem({ action: "add", shelf: "a", titel: "Emma" })).toBe(
      "shelf add has no parameter `titel`. Did you mean `title`? It takes: shelf, title, author. shelf add: `title` is required (string).",
    );
    expect(problem({ action: "add", shelf: "a" })).toBe("shelf add: `title` is required (string).");
    expect(problem({ action: "ad", shelf: "a" })).toBe(
      "shelf has no action `ad`. Did you mean `add`? It has: read, add, remove.",
    );
    expect(problem({ shelf: "a" })).toBe("shelf needs an action. It has: read, add, remove.");
    expect(problem({ action: "__proto__" })).toBe(
      "shelf has no action `__proto__`. It has: read, add, remove.",
    );
  });

  test("is as dangerous as its worst action, and each call as its own", () => {
    expect(hintsOf(shelfTool.effects, shelfTool.openWorld)).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
    expect(shelfTool.parse({ action: "read", shelf: "a" })).toMatchObject({
      ok: true,
      value: { effect: "none", action: "read" },
    });
  });

  test("narrowed to some of its actions has none of the others", () => {
    const reading = shelfTool.withActions(["read"]);
    expect(reading.description).toBe("Look after a shelf.\n- read(shelf, depth?): Lists the books.");
    expect(reading.effects).toEqual(["none"]);
    expect(reading.inputSchema("flat").properties).not.toHaveProperty("title");
    expect(reading.parse({ action: "read", shelf: "a" }).ok).toBe(true);
    expect(reading.parse({ action: "add", shelf: "a", title: "Emma" })).toEqual({
      ok: false,
      failure: "shelf has no action `add`. It has: read.",
    });
    expect(() => shelfTool.withActions(["reed"])).toThrow("Did you mean `read`?");
  });

  test("lists each action's failure codes and their union", () => {
    const anAction = {
      description: "",
      effect: "none",
      input: z.strictObject({}),
      output: z.object({}),
      handler: () => ok({}, { summary: "" }),
    } as const;
    const tool = defineActionTool({
      ...head,
      actions: (action) => ({
        safe: action({ ...anAction, errors: [] }),
        own: action({ ...anAction, errors: ["bad"] }),
        shared: action(anAction),
      }),
    });
    expect(tool.actions.map(({ name, errors }) => [name, errors])).toEqual([
      ["safe", []],
      ["own", ["bad"]],
      ["shared", ["gone"]],
    ]);
    expect(tool.errors).toEqual(["bad", "gone"]);
    expect(tool.withActions(["safe"]).errors).toEqual([]);
  });

  test("has an output schema if all its actions return one shape", () => {
    expect(shelfTool.outputSchema()).toBeUndefined();
    expect(shelfTool.withActions(["read", "remove"]).outputSchema()).toMatchObject({ type: "object" });
  });

  test.each(["flat", "oneOf"] as const)("keeps named parts where a %s schema refers to them", (style) => {
    const place = z.strictObject({ x: z.number(), y: z.number() }).meta({ id: "Place" });
    const placing = defineActionTool({
      ...head,
      actions: (action) => ({
        put: action({
          description: "Puts.",
          effect: "update",
          input: z.strictObject({ at: place.describe("Where"), from: place.describe("Whence") }),
          output: z.object({}),
          handler: () => ok({}, { summary: "Put." }),
        }),
      }),
    });
    const schema = placing.inputSchema(style);
    const referred = JSON.stringify(schema).match(/"#\/\$defs\/(\w+)"/g) ?? [];
    expect(referred.length).toBeGreaterThan(0);
    expect(schema.$defs).toHaveProperty("Place");
  });

  test("cannot give one parameter two meanings", () => {
    const confused = defineActionTool({
      ...head,
      actions: (action) => ({
        a: action({
          description: "",
          effect: "none",
          input: z.strictObject({ x: z.string() }),
          output: z.object({}),
          handler: () => ok({}, { summary: "" }),
        }),
        b: action({
          description: "",
          effect: "none",
          input: z.strictObject({ x: z.number() }),
          output: z.object({}),
          handler: () => ok({}, { summary: "" }),
        }),
      }),
    });
    expect(() => confused.inputSchema("flat")).toThrow("shelf: a and b declare the parameter x differently");
  });
});
