/** A parameter that a shader declares. */
export interface Uniform {
  /** The type of its value in Godot: `Color`, `Texture2D`, `PackedFloat32Array`. */
  readonly type: string;
  /** `instance uniform` is set on nodes, `global uniform` in the project's settings. */
  readonly scope: "material" | "instance" | "global";
}

export interface ShaderUniforms {
  readonly uniforms: ReadonlyMap<string, Uniform>;
  /** False if an included file could not be read. */
  readonly isComplete: boolean;
}

/**
 * The uniforms that a shader and its included files declare. Preprocessor conditions are not evaluated, so the list
 * may be longer than Godot's.
 */
export function uniformsOf(
  code: string,
  include: (path: string) => string | undefined,
  within: readonly string[] = [],
): ShaderUniforms {
  const plain = withoutComments(code);
  const uniforms = new Map<string, Uniform>();
  let isComplete = true;
  for (const path of includesIn(plain)) {
    if (within.includes(path)) continue;
    const text = include(path);
    const inner = text === undefined ? undefined : uniformsOf(text, include, [...within, path]);
    isComplete &&= inner?.isComplete ?? false;
    for (const [name, uniform] of inner?.uniforms ?? []) uniforms.set(name, uniform);
  }
  for (const [, scope, type = "", before, name = "", after, hints = ""] of plain.matchAll(UNIFORM))
    uniforms.set(name, {
      type: godotType(type, /\bsource_color\b/.test(hints), (before ?? after) !== undefined),
      scope: scope === "instance" || scope === "global" ? scope : "material",
    });
  return { uniforms, isComplete };
}

export function includesIn(code: string): string[] {
  return Array.from(code.matchAll(/^[ \t]*#include\s+"([^"\n]+)"/gm), ([, path = ""]) => path);
}

/** `instance uniform lowp vec4 name[3] : hint, hint = value;` */
const UNIFORM =
  /\b(?:(instance|global)\s+)?uniform\s+(?:(?:lowp|mediump|highp)\s+)?(\w+)(?:\s*(\[[^\]]{0,200}\]))?\s+(\w+)(?:\s*(\[[^\]]{0,200}\]))?(?:\s*(:[^;=]{0,500}))?\s*(?==|;)/g;

const TYPES: Readonly<Record<string, string>> = {
  bool: "bool",
  int: "int",
  uint: "int",
  float: "float",
  bvec2: "int",
  bvec3: "int",
  bvec4: "int",
  ivec2: "Vector2i",
  ivec3: "Vector3i",
  ivec4: "Vector4i",
  uvec2: "Vector2i",
  uvec3: "Vector3i",
  uvec4: "Vector4i",
  vec2: "Vector2",
  vec3: "Vector3",
  vec4: "Vector4",
  mat2: "Transform2D",
  mat3: "Basis",
  mat4: "Projection",
  sampler2D: "Texture2D",
  isampler2D: "Texture2D",
  usampler2D: "Texture2D",
  sampler2DArray: "TextureLayered",
  isampler2DArray: "TextureLayered",
  usampler2DArray: "TextureLayered",
  sampler3D: "Texture3D",
  isampler3D: "Texture3D",
  usampler3D: "Texture3D",
  samplerCube: "TextureLayered",
  samplerCubeArray: "TextureLayered",
  samplerExternalOES: "ExternalTexture",
};

const ARRAYS: Readonly<Record<string, string>> = {
  bool: "PackedInt32Array",
  int: "PackedInt32Array",
  uint: "PackedInt32Array",
  float: "PackedFloat32Array",
  vec2: "PackedVector2Array",
  vec3: "PackedVector3Array",
  vec4: "PackedVector4Array",
};

function godotType(type: string, isColor: boolean, isArray: boolean): string {
  const canBeColor = type === "vec3" || type === "vec4";
  if (!isArray) return isColor && canBeColor ? "Color" : (TYPES[type] ?? "Variant");
  if (isColor && canBeColor) return "PackedColorArray";
  if (type.includes("sampler")) return "Array";
  return ARRAYS[type] ?? (/^[iub]vec/.test(type) ? "PackedInt32Array" : "PackedFloat32Array");
}

function withoutComments(code: string): string {
  return code.replace(/("[^"\n]*"?)|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, "$1 ");
}
