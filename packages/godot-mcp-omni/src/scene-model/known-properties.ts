import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import madeProperties from "../../addons/godot_mcp_bridge/shared/made_properties.json" with { type: "json" };
import { errors, type Result, unknownName } from "../errors.ts";
import { SceneText } from "../formats/scene-text.ts";
import type { SettingsText } from "../formats/settings-text.ts";
import type { ShaderUniforms } from "../formats/shader-uniforms.ts";
import { parseVariant, writeVariant } from "../formats/variant.ts";
import { MEMBERS, width } from "../formats/variant-types.ts";
import type { ClassProperty, ClassTable } from "../godot/class-table.ts";
import { type SceneWorld, scriptLineage } from "./scene-world.ts";
import { jsonOfText } from "./variant-to-json.ts";

/** A node or a resource, as far as its properties are known from files. */
export interface PropertyOwner {
  /** The engine class; undefined if the files do not show it. */
  readonly type: string | undefined;
  readonly script: string | undefined;
  /** Has, or may have, a script that cannot be read. */
  readonly unknownScript: boolean;
}

/** The property that a name refers to, or why it cannot be set. */
export function propertyOf(
  owner: PropertyOwner,
  name: string,
  { world, warn }: { readonly world: SceneWorld; readonly warn: (warning: string) => void },
  uniforms: () => ShaderUniforms | undefined,
): Result<KnownProperty, "E_SCHEMA_VALIDATION"> {
  const reserved = RESERVED[name];
  if (reserved !== undefined) {
    return errors.fail("E_SCHEMA_VALIDATION", `"${name}" is set by ${reserved}.`, {
      details: { readOnly: true },
    });
  }
  const known =
    owner.type === undefined ? new Map<string, ClassProperty>() : world.classes.properties(owner.type);
  const native = known.get(name);
  if (native?.readOnly)
    return errors.fail("E_SCHEMA_VALIDATION", `"${name}" of ${owner.type} is read-only.`, {
      details: { readOnly: true },
    });
  if (native !== undefined) return ok(native);
  const exported = exportsOf(owner.script, world);
  const variable = exported.get(name);
  if (variable !== undefined) return ok(variable);
  // Stored, but in no list of properties.
  if (name === "animations" && owner.type === "SpriteFrames") return ok(free(name, "Array"));
  if (name.startsWith("shader_parameter/")) return uniformOf(name, uniforms(), warn);
  if (name.startsWith("metadata/") && !/^metadata\/[A-Za-z_]\w*$/.test(name))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `"${name.slice(9, 89)}" is no name for metadata: letters, digits and underscores, no digit first.`,
    );
  const made = madeType(owner.type, name, world);
  if (made !== undefined) return madeUp(name, made, warn);
  const isScriptKnown = owner.script === undefined || isReadToTheEnd(owner.script, world);
  if (owner.type === undefined || owner.unknownScript || !isScriptKnown || !world.classes.has(owner.type)) {
    warn(`"${name}" could not be checked without Godot: the files do not tell all properties of this node.`);
    return ok({ ...free(name, "Variant"), isUntyped: true });
  }
  return unknownName("E_SCHEMA_VALIDATION", `${owner.type} has no property "${name.slice(0, 80)}".`, name, [
    ...known.keys(),
    ...exported.keys(),
  ]);
}

/** A property, as far as the files show it. */
export interface KnownProperty extends ClassProperty {
  /** The files do not show its type. */
  readonly isUntyped?: true;
}

/** Whether a script and those it extends, down to a class of the engine, could be read. */
function isReadToTheEnd(script: string, world: SceneWorld): boolean {
  // A class of C# may have parts in other files.
  if (script.endsWith(".cs")) return false;
  return world.classes.has(scriptLineage(script, world).at(-1)?.extends ?? "");
}

/** A shader parameter has the type of its uniform. */
function uniformOf(
  name: string,
  shader: ShaderUniforms | undefined,
  warn: (warning: string) => void,
): Result<KnownProperty, "E_SCHEMA_VALIDATION"> {
  const uniform = name.slice("shader_parameter/".length);
  const found = shader?.uniforms.get(uniform);
  if (found?.scope === "material")
    return ok({ ...free(name, found.type), ...(found.type === "Variant" && { isUntyped: true }) });
  if (found !== undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      found.scope === "instance"
        ? `"${uniform}" is an instance uniform: set instance_shader_parameters/${uniform} of the node.`
        : `"${uniform}" is a global uniform: it is set in the project's settings.`,
    );
  if (shader?.isComplete)
    return unknownName(
      "E_SCHEMA_VALIDATION",
      `The shader has no uniform "${uniform.slice(0, 80)}".`,
      uniform,
      [...shader.uniforms.keys()],
    );
  warn(`Whether the shader has the uniform "${uniform.slice(0, 80)}" could not be checked without Godot.`);
  return ok({ ...free(name, "Variant"), isUntyped: true });
}

/** Set by separate edits, or not at all. */
const RESERVED: Readonly<Record<string, string>> = {
  script: "attach_script",
  name: "rename",
  unique_name_in_owner: "set_unique_name",
  owner: "nothing: owners follow the tree",
  scene_file_path: "nothing: it follows the instance",
  resource_path: "nothing: it follows the file",
};

/**
 * The type of a property that a class creates when it is set and that is therefore not in the class table. The engine
 * uses the same table. If the class is unknown, any of these is accepted.
 */
function madeType(owner: string | undefined, name: string, { classes }: SceneWorld): string | undefined {
  const fits = (maker: string) =>
    owner === undefined || !classes.has(owner) || maker === "Object" || classes.inherits(owner, maker);
  // The text format stores these in one line that Godot computes.
  if (name === "_data") return "Dictionary";
  if (name === "tile_map_data") return "PackedByteArray";
  return MADE.find(([maker, pattern]) => fits(maker) && pattern.test(name))?.[2];
}

/** Whether a class creates a property of this name when it is set. */
export function isMade(owner: string | undefined, name: string, world: SceneWorld): boolean {
  return madeType(owner, name, world) !== undefined;
}

const MADE = (madeProperties as [string, string, string, string?][]).map(
  ([maker, pattern, type, standard]) => [maker, new RegExp(pattern), type, standard] as const,
);

/** The properties that Godot writes along with a created one: all of a bone, a bus, or a state. */
export function companionsOf(
  owner: string | undefined,
  name: string,
  { classes }: SceneWorld,
): [string, string][] {
  const group = name.slice(0, name.lastIndexOf("/") + 1);
  if (owner === undefined || !classes.has(owner)) return [];
  return MADE.flatMap(([maker, pattern, , standard]): [string, string][] => {
    const companion = `${group}${/(\w+)\$$/.exec(pattern.source)?.[1]}`;
    const fits = standard !== undefined && classes.inherits(owner, maker) && pattern.test(companion);
    return fits && companion !== name ? [[companion, standard]] : [];
  });
}

function madeUp(
  name: string,
  type: string,
  warn: (warning: string) => void,
): Result<KnownProperty, "E_SCHEMA_VALIDATION"> {
  const [kind = "", rest = ""] = name.split("/");
  if (kind.startsWith("theme_override_"))
    warn(`Whether a theme has "${rest.slice(0, 80)}" for this node could not be checked without Godot.`);
  const property = { ...free(name, type.replace(/^[~=]/, "")), stored: !type.startsWith("~") };
  // Metadata takes every type.
  return ok(property.type === "Variant" && kind !== "metadata" ? { ...property, isUntyped: true } : property);
}

/** Exported variables of a script and of those it extends, as properties. */
export function exportsOf(script: string | undefined, world: SceneWorld): Map<string, KnownProperty> {
  const all = new Map<string, KnownProperty>();
  for (const { path, exports } of scriptLineage(script, world))
    for (const [name, { type, value }] of exports)
      if (!all.has(name))
        all.set(name, { ...exportedAs(name, type, world), default: plainValue(value), from: path });
  return all;
}

function exportedAs(name: string, type: string | undefined, world: SceneWorld): KnownProperty {
  const known = knownType(type, world);
  if (known !== undefined) return free(name, known);
  return { ...free(name, "Variant"), isUntyped: true, ...(type !== undefined && { unread: type }) };
}

/** A constant default; only the engine can evaluate a computed one. */
function plainValue(text: string | undefined): string | undefined {
  const parsed = text === undefined ? undefined : parseVariant(text);
  return parsed?.ok && text !== undefined ? text : undefined;
}

/** Only the engine resolves a script's own enums and inner classes. */
function knownType(type: string | undefined, world: SceneWorld): string | undefined {
  if (type === undefined) return undefined;
  const [base = "", inner] = type.split(/[[\]]/);
  const fine = (name: string) =>
    /^(?:[a-z]|Vector|Rect|Transform|Packed|String|Node|Array|Dictionary|Color|Basis|Plane|Quaternion|AABB|Projection)/.test(
      name,
    ) || world.classes.has(name);
  return fine(base) && (inner === undefined || inner.split(/,\s*/).every(fine)) ? type : undefined;
}

function free(name: string, type: string): ClassProperty {
  return { name, type, choices: undefined, readOnly: false, stored: true, default: undefined, from: "" };
}

export function defaultJson(property: ClassProperty, scene: SceneText): Json {
  const text = standardText(property);
  return text === undefined ? null : jsonOfText(text, scene, property.type !== "Variant");
}

/** The default in Godot's text. */
export function standardText({ default: text, type }: ClassProperty): string | undefined {
  return text ?? zero(type);
}

export function isDefault(text: string, property: ClassProperty): boolean {
  const standard = standardText(property);
  return standard !== undefined && isWrittenAs(standard, text);
}

/** Whether a value would be written as this text. */
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

/** The value of an unset property of this type. */
function zero(type: string): string | undefined {
  const [base = type] = type.split("[");
  const known = ZEROS[base];
  if (known !== undefined) return known;
  if (base.startsWith("Packed")) return `${base}()`;
  if (!(base in MEMBERS)) return "null";
  return `${base}(${Array.from({ length: width(base) }, () => "0").join(", ")})`;
}

/** Returns the value of a setting in `project.godot`, or its default; undefined if neither is known. */
export function settingValue(text: SettingsText, name: string, classes: ClassTable): Json | undefined {
  const held = text.get(name);
  const known = classes.setting(name);
  if (held !== undefined) return jsonOfText(held, NO_FILE, known !== undefined && known.type !== "Variant");
  return known === undefined ? undefined : defaultJson(known, NO_FILE);
}

const NO_FILE = SceneText.empty("gd_scene format=3");
