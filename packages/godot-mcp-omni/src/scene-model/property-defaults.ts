import type { Json } from "@toolpact/contract";
import type { SceneText } from "../formats/scene-text.ts";
import { parseVariant, writeVariant } from "../formats/variant.ts";
import { MEMBERS, width } from "../formats/variant-types.ts";
import type { ClassProperty } from "../godot/class-table.ts";
import { jsonOfText } from "./variant-to-json.ts";

/** Returns the default value of a property. */
export function defaultJson(property: ClassProperty, scene: SceneText): Json {
  const text = standardText(property);
  return text === undefined ? null : jsonOfText(text, scene, property.type !== "Variant");
}

/** The same in Godot's text. */
export function standardText({ default: text, type }: ClassProperty): string | undefined {
  return text ?? zero(type);
}

export function isDefault(text: string, property: ClassProperty): boolean {
  const standard = standardText(property);
  return standard !== undefined && isWrittenAs(standard, text);
}

/** Whether a value is this text when it is written anew. */
export function isWrittenAs(value: string, text: string): boolean {
  if (value === text) return true;
  const parsed = parseVariant(value);
  return parsed.ok && writeVariant(parsed.value) === text;
}

const ZEROS: Readonly<Record<string, string>> = {
  bool: "false",
  int: "0",
  float: "0.0",
  String: '""',
  StringName: '&""',
  NodePath: 'NodePath("")',
  Array: "[]",
  Dictionary: "{}",
  Basis: "Basis(1, 0, 0, 0, 1, 0, 0, 0, 1)",
  Transform2D: "Transform2D(1, 0, 0, 1, 0, 0)",
  Transform3D: "Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)",
  Quaternion: "Quaternion(0, 0, 0, 1)",
  Color: "Color(0, 0, 0, 1)",
};

/** The value a property of this type has when nobody set it. */
function zero(type: string): string | undefined {
  const [base = type] = type.split("[");
  const known = ZEROS[base];
  if (known !== undefined) return known;
  if (base.startsWith("Packed")) return `${base}()`;
  if (!(base in MEMBERS)) return "null";
  return `${base}(${Array.from({ length: width(base) }, () => "0").join(", ")})`;
}
