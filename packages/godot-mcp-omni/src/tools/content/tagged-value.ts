import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../errors.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { writeVariant } from "../../formats/variant.ts";
import { variantOf } from "../../scene-model/json-to-variant.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";

/**
 * A value that says its type, for places where Godot declares none: `[1, 2]` of a Vector2 is
 * `{"$type": "Vector2", "x": 1, "y": 2}`.
 */
export function taggedValue(json: Json, type: string): Result<Json> {
  // A whole number would become an integer.
  if (type === "float" && typeof json === "number") return ok({ $type: "float", value: json });
  const made = variantOf(json, type, FILES);
  return made.ok ? ok(jsonOfText(writeVariant(made.value), SceneText.empty("gd_resource"), false)) : made;
}

const FILES = {
  isNodeClass: () => false,
  external: (res: string) =>
    ok({ kind: "call" as const, name: "Resource", args: [{ kind: "string" as const, value: res }] }),
  internal: () => errors.fail("E_UNSUPPORTED", "Name a file instead: a key holds no resource of its own."),
  node: () => errors.fail("E_UNSUPPORTED", "A key holds no node."),
};
