/**
 * A value as Godot serializes it. Integers are `bigint`, because object ids do not fit a `number`; a `number` is a
 * float. A value without a JavaScript type carries its type name.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<Value, Value>
  | { readonly type: "StringName"; readonly value: string }
  | NodePathValue
  | { readonly type: FloatCompound | IntCompound; readonly numbers: readonly number[] }
  | { readonly type: "Object" | "RID"; readonly id: bigint }
  | { readonly type: "Callable" }
  | { readonly type: "Signal"; readonly name: string; readonly id: bigint }
  | { readonly type: "Array"; readonly of: TypeName; readonly items: readonly Value[] }
  | {
      readonly type: "Dictionary";
      readonly key: TypeName;
      readonly value: TypeName;
      readonly entries: ReadonlyMap<Value, Value>;
    }
  | { readonly type: "PackedInt64Array"; readonly items: readonly bigint[] }
  | { readonly type: "PackedStringArray"; readonly items: readonly string[] }
  /** Elements of several numbers are written flat. */
  | { readonly type: PackedNumbers; readonly items: readonly number[] };

export interface NodePathValue {
  readonly type: "NodePath";
  readonly isAbsolute: boolean;
  readonly names: readonly string[];
  readonly subnames: readonly string[];
}

/** The element type of a typed array or dictionary: the number of a built-in type, or the name of a class. */
export type TypeName =
  | { readonly kind: "any" }
  | { readonly kind: "builtin"; readonly type: number }
  | { readonly kind: "class"; readonly name: string }
  | { readonly kind: "script"; readonly path: string };

export type FloatCompound = keyof typeof FLOATS;
export type IntCompound = keyof typeof INTS;
export type PackedNumbers = keyof typeof PACKED;

/** Godot's type numbers. */
export const TYPE = {
  nil: 0,
  bool: 1,
  int: 2,
  float: 3,
  String: 4,
  StringName: 21,
  NodePath: 22,
  RID: 23,
  Object: 24,
  Callable: 25,
  Signal: 26,
  Dictionary: 27,
  Array: 28,
  PackedByteArray: 29,
  PackedInt64Array: 31,
  PackedStringArray: 34,
} as const;

interface Compound {
  readonly type: number;
  readonly width: number;
}

/** Compounds of floats. In a double-precision build they are doubles, except for colors. */
export const FLOATS = {
  Vector2: { type: 5, width: 2 },
  Rect2: { type: 7, width: 4 },
  Vector3: { type: 9, width: 3 },
  Transform2D: { type: 11, width: 6 },
  Vector4: { type: 12, width: 4 },
  Plane: { type: 14, width: 4 },
  Quaternion: { type: 15, width: 4 },
  AABB: { type: 16, width: 6 },
  Basis: { type: 17, width: 9 },
  Transform3D: { type: 18, width: 12 },
  Projection: { type: 19, width: 16 },
  Color: { type: 20, width: 4 },
} as const satisfies Record<string, Compound>;

export const INTS = {
  Vector2i: { type: 6, width: 2 },
  Rect2i: { type: 8, width: 4 },
  Vector3i: { type: 10, width: 3 },
  Vector4i: { type: 13, width: 4 },
} as const satisfies Record<string, Compound>;

/** `of` is the type of one number. */
export const PACKED = {
  PackedInt32Array: { type: 30, width: 1, of: "i32" },
  PackedFloat32Array: { type: 32, width: 1, of: "f32" },
  PackedFloat64Array: { type: 33, width: 1, of: "f64" },
  PackedVector2Array: { type: 35, width: 2, of: "real" },
  PackedVector3Array: { type: 36, width: 3, of: "real" },
  PackedColorArray: { type: 37, width: 4, of: "f32" },
  PackedVector4Array: { type: 38, width: 4, of: "real" },
} as const satisfies Record<string, Compound & { readonly of: "i32" | "f32" | "f64" | "real" }>;

/** `Array.isArray` does not narrow a union with a readonly array. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ReadonlyMap<Value, Value> {
  return value instanceof Map;
}
