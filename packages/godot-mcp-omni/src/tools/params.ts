import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";

/** Arguments that several actions share: within a tool an argument has one schema. */

export const mode = z.enum(["files", "engine", "editor"]).describe("Default: the best").optional();

export const scene = z.string().optional().describe("res://main.tscn; default: the editor's");

export const sceneFile = z.string().describe("res://main.tscn");

export const node = z.string().describe("Path from the root: ., Player/Sprite, %Unique");

export const parent = z.string().describe("Default: the root");

export const name = z.string().describe("Node name: Player");

export const index = z.int().min(0).describe("Among siblings; default: last");

export const type = z.string().describe("Sprite2D or preset:fire_2d");

export const overwrite = z.boolean().describe("Replace an existing file").optional();

/** `standard` is the default. */
export const limit = (standard: string) =>
  z.int().min(1).max(5000).describe(`Default: ${standard}`).optional();

export const path = z.string().describe("File, such as res://player.gd");

export const folder = z.string().optional().describe("res://levels; default: the whole project");

export const anyObject = z.looseObject({});

/** An item of a list. Clients require typed list items, so lists of lists go through `properties`. */
export const item = z.union([z.string(), z.number(), z.boolean(), anyObject]);

export const value = z
  .union([z.string(), z.number(), z.boolean(), z.null(), anyObject, z.array(item)])
  .describe('5, [1, 2], "red", "layer1|layer3"');

export const tiles = z
  .array(anyObject)
  .describe("{x, y, source, atlas: {x, y}, alternative}; x and y alone erase the cell");

/** Values are JSON: a vector [x, y] or {x, y}, a color by name, a resource "res://…" or {resource, properties}. */
export const properties = anyObject.describe(
  '{"position": [1, 2], "modulate": "red", "shape": {"resource": "BoxShape3D"}}',
);

/** Checks an argument whose schema is too long for `tools/list`, where it is a plain object or a list of them. */
export function checked<T>(
  name: string,
  schema: z.ZodType<T>,
  given: unknown,
): Result<T, "E_SCHEMA_VALIDATION"> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const place = [name, ...path].map(String).join(".");
  const takes = formsOf(schema, path.reduce(memberOf, given));
  return errors.fail("E_SCHEMA_VALIDATION", `${place}: ${issue?.message ?? "is wrong"}.`, {
    ...(takes.length > 0 && { suggestedFix: `It takes ${takes.join("; ")}.`, details: { takes } }),
  });
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  const member = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  // The message names the object that contains a wrong member.
  return typeof member === "object" && member !== null ? member : value;
}

/**
 * The members of an object, or of an item of a list, for each kind: `action {name, strength?}`. With a
 * value of a known kind, only that kind.
 */
export function formsOf(schema: z.ZodType, value?: unknown): readonly string[] {
  if (schema instanceof z.ZodArray) return formsOf(schema.element as z.ZodType, value);
  if (schema instanceof z.ZodLazy) return formsOf(schema.def.getter() as z.ZodType, value);
  if (schema instanceof z.ZodPipe) return formsOf(schema.def.out as z.ZodType, value);
  if (schema instanceof z.ZodUnion) {
    const forms = schema.options.flatMap((option) => formsOf(option as z.ZodType));
    const kind = typeof value === "object" && value !== null ? Reflect.get(value, "kind") : undefined;
    const own = forms.filter((form) => form.startsWith(`${String(kind)} `));
    return own.length > 0 ? own : forms;
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const { kind, ...rest } = schema.shape as Record<string, z.ZodType>;
  const members = Object.entries(rest).map(([name, member]) =>
    member.safeParse(undefined).success || member instanceof z.ZodExactOptional ? `${name}?` : name,
  );
  const [literal] = kind instanceof z.ZodLiteral ? kind.values : [];
  return [`${literal === undefined ? "" : `${String(literal)} `}{${members.join(", ")}}`];
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

/** The arguments without omitted ones. */
export function defined<T extends object>(args: T): Defined<T> {
  // Exactly the members that are undefined are gone.
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A vector in any of its spellings. */
export const vector = z.union([z.array(z.number()), anyObject, z.string()]);

/** Reads `[800, 600]`, `{width, height}`, `{x, y}`, `800x600` or `Vector2i(800, 600)`. */
export function sizeOf(
  name: string,
  given: unknown,
): Result<{ readonly width: number; readonly height: number }, "E_SCHEMA_VALIDATION"> {
  const numbers =
    typeof given === "string"
      ? [...given.matchAll(/-?\d+(?:\.\d+)?(?!D)/g)].map(([text]) => Number(text))
      : Array.isArray(given)
        ? given
        : Object.values(given as object);
  const [width, height, ...more] = typeof given === "string" ? numbers.slice(-2) : numbers;
  const isWhole = (side: unknown): side is number => Number.isInteger(side) && Number(side) >= 16;
  if (isWhole(width) && isWhole(height) && more.length === 0 && width <= MAX_SIDE && height <= MAX_SIDE)
    return ok({ width, height });
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${name}: write a width and a height of 16 to ${MAX_SIDE} pixels, such as [800, 600].`,
  );
}

const MAX_SIDE = 4096;
