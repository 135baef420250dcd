import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import { errors, unknownName } from "../../errors.ts";
import type { ShaderUniforms } from "../../formats/shader-uniforms.ts";
import { parseVariant } from "../../formats/variant.ts";
import type { ClassProperty } from "../../godot/class-table.ts";
import { type SceneWorld, scriptLineage } from "./scene-world.ts";

/** A node or a resource, as far as its properties are known from files. */
export interface PropertyOwner {
  /** The engine's class; undefined where the files do not show it. */
  readonly type: string | undefined;
  readonly script: string | undefined;
  /** Has, or may have, a script that cannot be read. */
  readonly unknownScript: boolean;
}

/** The property that a name means for its owner, or why it cannot be set. */
export function propertyOf(
  owner: PropertyOwner,
  name: string,
  { world, warn }: { readonly world: SceneWorld; readonly warn: (warning: string) => void },
  uniforms: () => ShaderUniforms | undefined,
): Outcome<KnownProperty, Failure<"E_SCHEMA_VALIDATION">> {
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
  // Stored, and shown in no list of properties.
  if (name === "animations" && owner.type === "SpriteFrames") return ok(free(name, "Array"));
  if (name.startsWith("shader_parameter/")) return uniformOf(name, uniforms(), warn);
  if (MADE_UP.test(name)) return madeUp(name, warn);
  const isScriptKnown = owner.script === undefined || isReadToTheEnd(owner.script, world);
  if (owner.type === undefined || owner.unknownScript || !isScriptKnown || !world.classes.has(owner.type)) {
    warn(
      `"${name}" could not be checked without a Godot: the files do not tell all properties of this node.`,
    );
    return ok({ ...free(name, "Variant"), isUntyped: true });
  }
  return unknownName("E_SCHEMA_VALIDATION", `${owner.type} has no property "${name.slice(0, 80)}".`, name, [
    ...known.keys(),
    ...exported.keys(),
  ]);
}

/** A property, as far as the files tell it. */
export interface KnownProperty extends ClassProperty {
  /** The files do not tell its type. */
  readonly isUntyped?: true;
}

/** Whether a script and those it extends, down to a class of the engine, could be read. */
function isReadToTheEnd(script: string, world: SceneWorld): boolean {
  return world.classes.has(scriptLineage(script, world).at(-1)?.extends ?? "");
}

/** A parameter of a shader has the type of the uniform. */
function uniformOf(
  name: string,
  shader: ShaderUniforms | undefined,
  warn: (warning: string) => void,
): Outcome<KnownProperty, Failure<"E_SCHEMA_VALIDATION">> {
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
  warn(`Whether the shader has the uniform "${uniform.slice(0, 80)}" could not be checked without a Godot.`);
  return ok({ ...free(name, "Variant"), isUntyped: true });
}

/** Set by edits of their own, or never. */
const RESERVED: Readonly<Record<string, string>> = {
  script: "attach_script",
  name: "rename",
  unique_name_in_owner: "set_unique_name",
  owner: "nothing: owners follow the tree",
  scene_file_path: "nothing: it follows the instance",
  resource_path: "nothing: it follows the file",
};

/** Properties that a class creates at run time, so that no table lists them. */
const MADE_UP =
  /^(?:metadata|theme_override_(?:colors|constants|fonts|font_sizes|icons|styles)|surface_material_override|instance_shader_parameters|shader_parameter|blend_shapes|libraries|bones|tracks|sources|occlusion_layer_\d+|physics_layer_\d+|terrain_set_\d+|navigation_layer_\d+|custom_data_layer_\d+|item_\d+|popup|nodes|states|transitions|parameters|script)\/|^\d+:\d+\/|^_data$|^tile_map_data$|^frames$/;

/** The types of such properties. Where none matches, the files do not tell. */
const MADE_UP_TYPES: readonly (readonly [RegExp, string])[] = [
  // Metadata takes every type.
  [/^metadata\//, "Variant"],
  [/^theme_override_colors\//, "Color"],
  [/^theme_override_(?:constants|font_sizes)\//, "int"],
  [/^theme_override_fonts\//, "Font"],
  [/^theme_override_icons\//, "Texture2D"],
  [/^theme_override_styles\//, "StyleBox"],
  [/^surface_material_override\//, "Material"],
  [/^blend_shapes\//, "float"],
  [/^libraries\//, "AnimationLibrary"],
  [/^_data$/, "Dictionary"],
  [/^tile_map_data$/, "PackedByteArray"],
];

function madeUp(
  name: string,
  warn: (warning: string) => void,
): Outcome<KnownProperty, Failure<"E_SCHEMA_VALIDATION">> {
  const [kind = ""] = name.split("/", 1);
  const rest = name.slice(kind.length + 1);
  if (kind === "metadata" && !/^[A-Za-z_]\w*$/.test(rest))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `"${rest.slice(0, 80)}" is no name for metadata: letters, digits and underscores, no digit first.`,
    );
  if (kind.startsWith("theme_override_"))
    warn(`Whether a theme has "${rest.slice(0, 80)}" for this node could not be checked without a Godot.`);
  const type = MADE_UP_TYPES.find(([pattern]) => pattern.test(name))?.[1];
  return ok(type === undefined ? { ...free(name, "Variant"), isUntyped: true } : free(name, type));
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

/** A default that is a plain value; only the engine knows one that a script computes. */
function plainValue(text: string | undefined): string | undefined {
  const parsed = text === undefined ? undefined : parseVariant(text);
  return parsed?.ok && text !== undefined ? text : undefined;
}

/** Only the engine knows the types of a script's own enums and inner classes. */
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
