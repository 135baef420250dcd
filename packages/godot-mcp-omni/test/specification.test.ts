import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readSettings } from "../src/config/settings.ts";
import { errors } from "../src/errors.ts";
import { createServer } from "../src/server/server.ts";
import { allTools } from "../src/tools/all.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";

/** The codes of the specification of the tool contract, typed in. */
const CODES = [
  "E_SCHEMA_VALIDATION",
  "E_NOT_CONNECTED",
  "E_NOT_FOUND",
  "E_PERMISSION_DENIED",
  "E_TIMEOUT",
  "E_UNSUPPORTED",
  "E_INTERNAL",
];

const object = z.record(z.string(), z.unknown());
const failure = z.strictObject({
  code: z.enum(CODES),
  message: z.string().min(1),
  details: object.optional(),
  retryable: z.boolean().optional(),
  suggestedFix: z.string().min(1).optional(),
});
const others = {
  meta: z.strictObject({
    tool: z.string().min(1),
    action: z.string().nullable(),
    correlationId: z.string().min(1),
    durationMs: z.number().min(0),
  }),
  details: object.optional(),
  logs: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
  errors: z
    .array(z.strictObject({ code: z.enum(CODES), message: z.string().min(1), details: object.optional() }))
    .optional(),
  execution: object.optional(),
  files: z
    .array(
      z.strictObject({
        kind: z.string(),
        pathAbs: z.string().startsWith("/"),
        resPath: z.string().startsWith("res://"),
        bytes: z.int().min(0).optional(),
      }),
    )
    .optional(),
};
const summary = z.string().min(1).max(300);

/** The envelope of the specification; other members are rejected. */
const envelope = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true), summary, result: object, error: z.null(), ...others }),
  z.strictObject({ ok: z.literal(false), summary, result: z.null(), error: failure, ...others }),
]);

const managers = allTools.tools.filter(({ actions }) => actions.length > 0);

interface InputSchema {
  readonly type?: string;
  readonly properties?: Readonly<
    Record<string, { readonly enum?: readonly string[]; readonly const?: string }>
  >;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly oneOf?: readonly (InputSchema & { readonly title: string })[];
}

/** Schemas of every tool as a client gets them. */
async function inputSchemas(style: "flat" | "oneOf"): Promise<ReadonlyMap<string, InputSchema>> {
  const settings = readSettings({ flags: { toolsets: "all" }, env: { GODOT_MCP_SCHEMA_STYLE: style } });
  if (!settings.ok) throw new Error(settings.failure.message);
  const server = await createServer({ settings: settings.value, env: {}, cwd: "/" });
  if (!server.ok) throw new Error(server.failure.message);
  return new Map(
    server.value.app.surface.tools.map(({ name, inputSchema }) => [String(name), inputSchema as InputSchema]),
  );
}

it("the error codes are the seven of the specification", () => {
  expect(Object.keys(errors.rows)).toEqual(CODES);
});

it("no tool declares a code that is not of the specification", () => {
  for (const tool of allTools.tools)
    expect(
      tool.errors.filter((code) => !CODES.includes(code)),
      tool.name,
    ).toEqual([]);
});

it.each<readonly [code: string, what: string, tool: string, args: JsonObject]>([
  [
    "E_SCHEMA_VALIDATION",
    "an argument that is missing",
    "godot_scene",
    { action: "rename", scene: "res://main.tscn" },
  ],
  ["E_SCHEMA_VALIDATION", "an argument of the wrong type", "godot_code", { action: "script.read", path: 7 }],
  ["E_SCHEMA_VALIDATION", "an action that does not exist", "godot_scene", { action: "explode" }],
  [
    "E_SCHEMA_VALIDATION",
    "arguments that exclude each other",
    "godot_code",
    { action: "script.create", path: "res://new.gd", content: "extends Node", extends: "Node" },
  ],
  ["E_NOT_FOUND", "a file", "godot_code", { action: "script.read", path: "res://none.gd" }],
  [
    "E_NOT_FOUND",
    "a node",
    "godot_scene",
    { action: "rename", scene: "res://main.tscn", node: "Nobody", newName: "Somebody" },
  ],
  [
    "E_NOT_FOUND",
    "a resource",
    "godot_asset",
    { action: "load_texture", scene: "res://main.tscn", node: "Player/Sprite", texture: "res://none.png" },
  ],
  ["E_NOT_FOUND", "a section of a file", "godot_project", { action: "input_map.setup", remove: ["jump"] }],
])("%s is the code for %s", async (code, _, tool, args) => {
  expect(await openTestServer().call(tool, args)).toMatchObject({
    ok: false,
    result: null,
    error: { code, message: expect.stringMatching(/\S/), retryable: false },
  });
});

it("every action answers with the specified members, each of its type, and no others", async () => {
  const { call } = openTestServer();
  const seen = new Set<string>();
  for (const { tool, action, args } of SAMPLE_CALLS) {
    const answer = await call(tool, args);
    const { error } = envelope.safeParse(answer);
    expect(error?.issues ?? [], `${tool} ${action} ${JSON.stringify(answer)}`).toEqual([]);
    for (const member of Object.keys(answer)) seen.add(member);
  }
  expect([...seen]).toEqual(expect.arrayContaining(["warnings", "execution", "files"]));
});

describe("the input schema of every tool with actions", () => {
  it("requires action, and lists the actions as an enum", async () => {
    const schemas = await inputSchemas("flat");
    expect(managers.length).toBeGreaterThan(10);
    for (const { name, actions } of managers) {
      const { required, properties } = schemas.get(name) ?? {};
      expect(required, name).toContain("action");
      expect(properties?.action?.enum, name).toEqual(actions.map((action) => action.name));
    }
  });

  it("has a branch for each action, with its parameters and no others, where branches are asked for", async () => {
    const schemas = await inputSchemas("oneOf");
    for (const { name, actions } of managers) {
      const { oneOf = [], type } = schemas.get(name) ?? {};
      expect(type, name).toBe("object");
      expect(
        oneOf.map(({ title }) => title),
        name,
      ).toEqual(actions.map((action) => action.name));
      for (const { title, required, properties, additionalProperties } of oneOf) {
        expect([name, title, additionalProperties]).toEqual([name, title, false]);
        expect(required, `${name} ${title}`).toContain("action");
        expect(properties?.action?.const ?? properties?.action?.enum?.join(), `${name} ${title}`).toBe(title);
      }
    }
  });
});

it.each(["flat", "oneOf"] as const)(
  "the %s input schema of every tool allows no other properties at its top level",
  async (style) => {
    const schemas = await inputSchemas(style);
    expect(schemas.size).toBe(allTools.tools.length);
    for (const [name, { type, additionalProperties }] of schemas)
      expect([name, type, additionalProperties]).toEqual([name, "object", false]);
  },
);
