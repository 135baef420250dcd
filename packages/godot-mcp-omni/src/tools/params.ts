import type { Json, JsonObject } from "@toolpact/contract";
import * as z from "zod";

/** Parameters that several actions share; a tool's actions must mean the same by the same name. */

export const mode = z
  .enum(["files", "engine", "editor"])
  .optional()
  .describe("How; the best there is unless set");

export const scene = z
  .string()
  .min(1)
  .optional()
  .describe("res://….tscn; the editor's current one unless set");

export const sceneFile = z.string().min(1).describe("res://….tscn");

export const node = z.string().min(1).describe("Path from the root: ., Player/Sprite, %Unique");

export const parent = z.string().min(1).optional().describe("Path of the parent; the root unless set");

export const name = z.string().min(1).optional().describe("Name");

export const index = z.int().min(0).optional().describe("Place among the siblings; last unless set");

export const type = z.string().min(1).describe("Class, such as Sprite2D");

export const overwrite = z.boolean().optional().describe("Replace an existing file; undo brings it back");

export const limit = z.int().min(1).max(5000).optional().describe("Most results");

export const path = z.string().min(1).describe("res://…");

export const value = z
  .union([z.string(), z.number(), z.boolean(), z.null(), z.looseObject({}), z.array(z.unknown())])
  .describe("Any JSON");

/** Values are JSON: a vector {x, y}, a colour {r, g, b, a}, a resource "res://…" or {resource, properties}. */
export const properties = z
  .looseObject({})
  .optional()
  .describe('{"position": {"x": 1, "y": 2}, "texture": "res://a.png", "shape": {"resource": "BoxShape3D"}}');

/** Arguments come off the wire as JSON; a schema that lets anything through loses only the word for it. */
export function asJson(given: unknown): Json {
  return given as Json;
}

export function asObject(given: { readonly [key: string]: unknown } | undefined): JsonObject | undefined {
  return given as JsonObject | undefined;
}

/** Any answer that is an object. Its parts are typed where they are made. */
export const answer = z.looseObject({});
