/** The compound types of Godot: their members in the order of their constructor. */
export const MEMBERS: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  Vector2: floats("x", "y"),
  Vector2i: ints("x", "y"),
  Vector3: floats("x", "y", "z"),
  Vector3i: ints("x", "y", "z"),
  Vector4: floats("x", "y", "z", "w"),
  Vector4i: ints("x", "y", "z", "w"),
  Rect2: [
    ["position", "Vector2"],
    ["size", "Vector2"],
  ],
  Rect2i: [
    ["position", "Vector2i"],
    ["size", "Vector2i"],
  ],
  Plane: [
    ["normal", "Vector3"],
    ["d", "float"],
  ],
  Quaternion: floats("x", "y", "z", "w"),
  AABB: [
    ["position", "Vector3"],
    ["size", "Vector3"],
  ],
  Transform2D: [
    ["x", "Vector2"],
    ["y", "Vector2"],
    ["origin", "Vector2"],
  ],
  Basis: [
    ["x", "Vector3"],
    ["y", "Vector3"],
    ["z", "Vector3"],
  ],
  Transform3D: [
    ["basis", "Basis"],
    ["origin", "Vector3"],
  ],
  Projection: [
    ["x", "Vector4"],
    ["y", "Vector4"],
    ["z", "Vector4"],
    ["w", "Vector4"],
  ],
  Color: floats("r", "g", "b", "a"),
};

/** Packed arrays whose elements are more than one number long are written flat. */
export const PACKED: Readonly<Record<string, string>> = {
  PackedInt32Array: "int",
  PackedInt64Array: "int",
  PackedFloat32Array: "float",
  PackedFloat64Array: "float",
  PackedStringArray: "String",
  PackedVector2Array: "Vector2",
  PackedVector3Array: "Vector3",
  PackedVector4Array: "Vector4",
  PackedColorArray: "Color",
};

const PLAIN = new Set([
  "Variant",
  "bool",
  "int",
  "float",
  "String",
  "StringName",
  "NodePath",
  "RID",
  "Callable",
  "Signal",
  "PackedByteArray",
  "Array",
  "Dictionary",
]);

/** Whether a type is a class, or several separated by commas, rather than a type of value. */
export function isClassType(type: string): boolean {
  const [base = type] = type.split("[");
  return !(PLAIN.has(base) || base in MEMBERS || base in PACKED);
}

/** How many numbers a value of this type is written with. */
export function width(type: string): number {
  return MEMBERS[type]?.reduce((sum, [, member]) => sum + width(member), 0) ?? 1;
}

/**
 * The place of each number in the constructor's arguments. A basis is written row by row, while its members are
 * its columns.
 */
export function argumentOrder(type: string): readonly number[] {
  if (type === "Basis") return [0, 3, 6, 1, 4, 7, 2, 5, 8];
  if (type === "Transform3D") return [...argumentOrder("Basis"), 9, 10, 11];
  return Array.from({ length: width(type) }, (_, index) => index);
}

function floats(...names: string[]): (readonly [string, string])[] {
  return names.map((name) => [name, "float"] as const);
}

function ints(...names: string[]): (readonly [string, string])[] {
  return names.map((name) => [name, "int"] as const);
}
