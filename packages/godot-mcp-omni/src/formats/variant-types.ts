/** The compound types of Godot: their members in the order of their constructor. */
export const MEMBERS: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  Vector2: members("float", "x y"),
  Vector2i: members("int", "x y"),
  Vector3: members("float", "x y z"),
  Vector3i: members("int", "x y z"),
  Vector4: members("float", "x y z w"),
  Vector4i: members("int", "x y z w"),
  Rect2: members("Vector2", "position size"),
  Rect2i: members("Vector2i", "position size"),
  Plane: [...members("Vector3", "normal"), ...members("float", "d")],
  Quaternion: members("float", "x y z w"),
  AABB: members("Vector3", "position size"),
  Transform2D: members("Vector2", "x y origin"),
  Basis: members("Vector3", "x y z"),
  Transform3D: [...members("Basis", "basis"), ...members("Vector3", "origin")],
  Projection: members("Vector4", "x y z w"),
  Color: members("float", "r g b a"),
};

/** Packed arrays whose elements consist of several numbers are written flat. */
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

const PLAIN = new Set(
  "Variant bool int float String StringName NodePath RID Callable Signal PackedByteArray Array Dictionary".split(
    " ",
  ),
);

/** Whether a type is a class, or several separated by commas, rather than a value type. */
export function isClassType(type: string): boolean {
  const [base = type] = type.split("[");
  return !(PLAIN.has(base) || base in MEMBERS || base in PACKED);
}

/** The count of numbers in a value of this type. */
export function width(type: string): number {
  return MEMBERS[type]?.reduce((sum, [, member]) => sum + width(member), 0) ?? 1;
}

/**
 * The position of each number in the constructor's arguments. A basis is written row by row, while its members are
 * its columns.
 */
export function argumentOrder(type: string): readonly number[] {
  if (type === "Basis") return [0, 3, 6, 1, 4, 7, 2, 5, 8];
  if (type === "Transform3D") return [...argumentOrder("Basis"), 9, 10, 11];
  return Array.from({ length: width(type) }, (_, index) => index);
}

function members(type: string, names: string): (readonly [string, string])[] {
  return names.split(" ").map((name) => [name, type]);
}
