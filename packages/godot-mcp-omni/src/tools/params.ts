import type { Failure, Json, JsonObject } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { errors } from "../errors.ts";

/** Parameters that several actions share; a tool's actions must mean the same by the same name. */

export const mode = z
  .enum(["files", "engine", "editor"])
  .describe("How; the best there is unless set")
  .optional();

export const scene = z.string().optional().describe("res://….tscn; the editor's current one unless set");

export const sceneFile = z.string().describe("res://….tscn");

export const node = z.string().describe("Path from the root: ., Player/Sprite, %Unique");

export const parent = z.string().describe("Path of the parent; the root unless set");

export const name = z.string().describe("Name");

export const index = z.int().min(0).describe("Place among the siblings; last unless set");

export const type = z.string().describe("Class, such as Sprite2D");

export const overwrite = z.boolean().describe("Replace an existing file; undo brings it back").optional();

export const limit = z.int().min(1).max(5000).describe("Most results").optional();

export const path = z.string().describe("res://…");

export const folder = z.string().optional().describe("Folder; the whole project unless set");

/** An object of free content. */
export const anyObject = z.looseObject({});

/** An item of a list. Clients want every list's items typed, so lists of lists go through `properties`. */
export const item = z.union([z.string(), z.number(), z.boolean(), anyObject]);

export const value = z
  .union([z.string(), z.number(), z.boolean(), z.null(), anyObject, z.array(item)])
  .describe("Any JSON");

/** A tile of a TileMapLayer; one without source is erased. */
export const tile = z.strictObject({
  x: z.int().min(-32768).max(32767),
  y: z.int().min(-32768).max(32767),
  source: z.int().min(0).max(65534).optional(),
  atlas: z.strictObject({ x: z.int().min(0).max(65535), y: z.int().min(0).max(65535) }).optional(),
  alternative: z.int().min(0).max(65535).optional(),
});

export const tiles = z
  .array(anyObject)
  .describe("{x, y, source, atlas: {x, y}, alternative}; without source the tile goes");

/** A key of an animation. */
export const animationKey = z.strictObject({ time: z.number().min(0), value });

/** Values are JSON: a vector {x, y}, a colour {r, g, b, a}, a resource "res://…" or {resource, properties}. */
export const properties = anyObject.describe(
  '{"position": {"x": 1, "y": 2}, "texture": "res://a.png", "shape": {"resource": "BoxShape3D"}}',
);

/**
 * Items of a list whose schema would be long on the wire: there they are objects, here they are checked.
 */
export function checkedItems<T>(
  name: string,
  item: z.ZodType<T>,
  given: readonly unknown[],
): Outcome<readonly T[], Failure<"E_SCHEMA_VALIDATION">> {
  const parsed = z.array(item).safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const place = [name, ...(issue?.path ?? [])].map(String).join(".");
  return errors.fail("E_SCHEMA_VALIDATION", `${place}: ${issue?.message ?? "is wrong"}.`);
}

/** Arguments come off the wire as JSON; a schema that lets anything through loses only the word for it. */
export function asJson(given: unknown): Json {
  return given as Json;
}

export function asObject(given: { readonly [key: string]: unknown } | undefined): JsonObject | undefined {
  return given as JsonObject | undefined;
}

/** Any answer that is an object. Its parts are typed where they are made. */
export const answer = z.looseObject({});
