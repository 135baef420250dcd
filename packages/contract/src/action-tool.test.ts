import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { OkNotes } from "./dialects/ok-envelope.ts";
import { hintsOf } from "./effects.ts";
import { defineErrors } from "./errors.ts";
import { ok } from "./outcome.ts";
import { defineProduct } from "./product.ts";
import { unportable } from "./schema.ts";

const errors = defineErrors(
  {
    bad: { category: "c", retryable: false, meaning: "" },
    gone: { category: "c", retryable: false, meaning: "" },
  },
  { badInput: "bad", duplicate: "bad", deadline: "bad", internal: "bad" },
);
const { defineActionTool } = defineProduct<object, OkNotes>()({
  errors,
  categories: ["scene"],
  profiles: ["all"],
  services: {},
});

const scene = z.string().describe("Scene path");
const head = {
  name: "scene",
  title: "Scenes",
  describe: "Edit a scene.",
  category: "scene",
  openWorld: false,
  profiles: ["all"],
  needs: [],
  errors: ["gone"],
} as const;

const sceneTool = defineActionTool({
  ...head,
  actions: (action) => ({
    read: action({
      describe: "Shows the tree.",
      effect: "none",
      input: z.strictObject({ scene, depth: z.int().min(1).max(9).optional().describe("Levels") }),
      output: z.object({}),
      run: () => ok({}, { summary: "Read." }),
    }),
    add: action({
      describe: "Adds a node.",
      effect: "create",
      input: z.strictObject({
        scene,
        type: z.string().describe("Node type"),
        name: z.string().optional().describe("Name"),
      }),
      output: z.object({ path: z.string() }),
      run: ({ type, name }) => ok({ path: `/root/${name ?? type}` }, { summary: "Added." }),
    }),
    remove: action({
      describe: "Removes a node.",
      effect: "delete",
      input: z.strictObject({ scene, node: z.string().describe("Node path") }),
      output: z.object({}),
      run: ({ node }) => errors.fail("gone", `There is no node ${node}.`),
    }),
  }),
});

const problem = (args: Record<string, never> | object) => {
  const parsed = sceneTool.parse(args as never);
  return parsed.ok ? undefined : parsed.failure;
};

describe("an action tool", () => {
  test("is a flat object on the wire that every client takes", () => {
    const schema = sceneTool.inputSchema("flat");
    expect(unportable(schema)).toBeUndefined();
    expect(schema).toMatchObject({
      type: "object",
      required: ["action"],
      additionalProperties: false,
      properties: {
        action: { enum: ["read", "add", "remove"] },
        type: { type: "string" },
        depth: { type: "integer", minimum: 1, maximum: 9 },
      },
    });
  });

  test("spells out each action where the oneOf form is asked for", () => {
    expect(sceneTool.inputSchema("oneOf")).toMatchObject({
      oneOf: [
        {
          title: "read",
          properties: { action: { const: "read" } },
          required: ["action", "scene"],
          additionalProperties: false,
        },
        { title: "add", required: ["action", "scene", "type"] },
        { title: "remove", required: ["action", "scene", "node"] },
      ],
    });
  });

  test("tells each action's parameters in its description", () => {
    expect(sceneTool.description).toBe(
      "Edit a scene.\n- read(scene, depth?): Shows the tree.\n- add(scene, type, name?): Adds a node.\n- remove(scene, node): Removes a node.",
    );
  });

  test("enforces each action's own rules and names action, parameter and what is allowed", () => {
    expect(problem({ action: "add", scene: "a", type: "Node" })).toBeUndefined();
    expect(problem({ action: "add", scene: "a", type: "Node", depth: 2 })).toBe(
      "scene add has no parameter `depth`. It takes: scene, type, name.",
    );
    expect(problem({ action: "add", scene: "a", typ: "Node" })).toBe(
      "scene add has no parameter `typ`. Did you mean `type`? It takes: scene, type, name.",
    );
    expect(problem({ action: "add", scene: "a" })).toBe(
      "scene add: `type`: expected string, received undefined.",
    );
    expect(problem({ action: "ad", scene: "a" })).toBe(
      "scene has no action `ad`. Did you mean `add`? It has: read, add, remove.",
    );
    expect(problem({ scene: "a" })).toBe("scene needs an action. It has: read, add, remove.");
    expect(problem({ action: "__proto__" })).toBe(
      "scene has no action `__proto__`. It has: read, add, remove.",
    );
  });

  test("is as dangerous as its worst action, and each call as its own", () => {
    expect(hintsOf(sceneTool.effects, sceneTool.openWorld)).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
    expect(sceneTool.parse({ action: "read", scene: "a" })).toMatchObject({
      ok: true,
      value: { effect: "none", action: "read" },
    });
  });

  test.each(["flat", "oneOf"] as const)("keeps named parts where a %s schema refers to them", (style) => {
    const place = z.strictObject({ x: z.number(), y: z.number() }).meta({ id: "Place" });
    const placing = defineActionTool({
      ...head,
      actions: (action) => ({
        put: action({
          describe: "Puts.",
          effect: "update",
          input: z.strictObject({ at: place.describe("Where"), from: place.describe("Whence") }),
          output: z.object({}),
          run: () => ok({}, { summary: "Put." }),
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
          describe: "",
          effect: "none",
          input: z.strictObject({ x: z.string() }),
          output: z.object({}),
          run: () => ok({}, { summary: "" }),
        }),
        b: action({
          describe: "",
          effect: "none",
          input: z.strictObject({ x: z.number() }),
          output: z.object({}),
          run: () => ok({}, { summary: "" }),
        }),
      }),
    });
    expect(() => confused.inputSchema("flat")).toThrow("scene: a and b declare the parameter x differently");
  });
});
