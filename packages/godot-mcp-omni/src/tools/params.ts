import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";

/** Arguments that several actions share: within a tool an argument has one schema. */

export const mode = z.enum(["files", "engine", "editor"]).describe("Default: the best available").optional();

export const scene = z.string().optional().describe("res://main.tscn; default: the editor's");

export const sceneFile = z.string().describe("res://main.tscn");

export const node = z.string().describe("Path from the root: ., Player/Sprite, %Unique");

export const parent = z.string().describe("Parent's path; default: the root");

export const name = z.string().describe("Node name, such as Player");

export const index = z.int().min(0).describe("Position among siblings; default: last");

export const type = z.string().describe("Class, such as Sprite2D");

export const overwrite = z.boolean().describe("Replace an existing file").optional();

/** `standard` is the number without it. */
export const limit = (standard: string) =>
  z.int().min(1).max(5000).describe(`Default: ${standard}`).optional();

export const path = z.string().describe("File, such as res://player.gd");

export const folder = z.string().optional().describe("res://levels; default: the whole project");

/** An object of free content. */
export const anyObject = z.looseObject({});

/** An item of a list. Clients want the items of every list typed, so lists of lists go through `properties`. */
export const item = z.union([z.string(), z.number(), z.boolean(), anyObject]);

export const value = z
  .union([z.string(), z.number(), z.boolean(), z.null(), anyObject, z.array(item)])
  .describe('5, [1, 2], "red", "layer1|layer3"');

export const tiles = z
  .array(anyObject)
  .describe("{x, y, source, atlas: {x, y}, alternative}; x and y alone erase the cell");

/** Values are JSON: a vector [x, y] or {x, y}, a colour by name, a resource "res://…" or {resource, properties}. */
export const properties = anyObject.describe(
  '{"position": [1, 2], "modulate": "red", "texture": "res://a.png", "shape": {"resource": "BoxShape3D"}}',
);

/** Checks an argument whose schema would be long in `tools/list`, where it is a plain object or a list of them. */
export function checked<T>(
  name: string,
  schema: z.ZodType<T>,
  given: unknown,
): Result<T, "E_SCHEMA_VALIDATION"> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const place = [name, ...(issue?.path ?? [])].map(String).join(".");
  return errors.fail("E_SCHEMA_VALIDATION", `${place}: ${issue?.message ?? "is wrong"}.`);
}

export function checkedItems<T>(name: string, item: z.ZodType<T>, given: readonly unknown[]) {
  return checked<readonly T[]>(name, z.array(item), given);
}

/** Arguments arrive as JSON; a schema that accepts anything only loses the type. */
export function asJson(given: unknown): Json {
  return given as Json;
}

export function asObject(given: { readonly [key: string]: unknown } | undefined): JsonObject | undefined {
  return given as JsonObject | undefined;
}

/** The arguments without those that were left out. */
export function defined<T extends object>(args: T): Defined<T> {
  // Exactly the members that are undefined are gone.
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
