import type { Json, JsonObject } from "@toolpact/contract";
import { argumentOrder, MEMBERS } from "../../formats/variant-types.ts";
import {
  type FloatCompound,
  type IntCompound,
  isList,
  isMap,
  PACKED,
  type PackedNumbers,
  type Value,
} from "./value.ts";

export type Describe = (id: bigint) => JsonObject | undefined;

/** Converts a value to JSON: a vector to `{x, y}`, an object to `{object: "#id"}` with its description. */
export function jsonOfValue(value: Value, describe: Describe = () => undefined): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return wholeNumber(value);
  if (typeof value === "number") return finite(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (isList(value)) return value.map((item) => jsonOfValue(item, describe));
  if (isMap(value)) return entriesOf(value, describe);
  switch (value.type) {
    case "StringName":
      return value.value;
    case "NodePath": {
      const path = (value.isAbsolute ? "/" : "") + value.names.join("/");
      return [path, ...value.subnames].join(":");
    }
    case "Object":
      return value.id === 0n ? null : { object: `#${value.id}`, ...describe(value.id) };
    case "RID":
    case "Callable":
    case "Signal":
      return { $type: value.type };
    case "Array":
      return value.items.map((item) => jsonOfValue(item, describe));
    case "Dictionary":
      return entriesOf(value.entries, describe);
    case "PackedInt64Array":
      return value.items.map(wholeNumber);
    case "PackedStringArray":
      return [...value.items];
  }
  if ("numbers" in value) return compound(value.type, value.numbers);
  const { width } = PACKED[value.type];
  const element = ELEMENTS[value.type];
  if (element === undefined)
    return value.items.map(value.type === "PackedFloat32Array" ? shortFloat : finite);
  return Array.from({ length: value.items.length / width }, (_, index) =>
    compound(element, value.items.slice(index * width, (index + 1) * width)),
  );
}

export function objectsIn(value: Value): readonly bigint[] {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return [];
  if (isList(value)) return value.flatMap(objectsIn);
  if (isMap(value)) return [...value].flatMap(([key, item]) => [...objectsIn(key), ...objectsIn(item)]);
  if (value.type === "Object") return value.id === 0n ? [] : [value.id];
  if (value.type === "Array") return value.items.flatMap(objectsIn);
  return value.type === "Dictionary" ? objectsIn(value.entries) : [];
}

const ELEMENTS: Partial<Record<PackedNumbers, "Vector2" | "Vector3" | "Vector4" | "Color">> = {
  PackedVector2Array: "Vector2",
  PackedVector3Array: "Vector3",
  PackedVector4Array: "Vector4",
  PackedColorArray: "Color",
};

function compound(type: FloatCompound | IntCompound, numbers: readonly number[]): Json {
  const order = argumentOrder(type);
  const inOrder = order.map((_, index) => numbers[order.indexOf(index)] ?? 0);
  const number = type.endsWith("i") ? finite : shortFloat;
  let at = 0;
  const read = (name: string): Json => {
    const members = MEMBERS[name];
    if (members === undefined) return number(inOrder[at++] ?? 0);
    return Object.fromEntries(members.map(([member, inner]) => [member, read(inner)]));
  };
  return read(type);
}

/** A list of entries if two keys would have the same name, such as 1 and "1". */
function entriesOf(entries: ReadonlyMap<Value, Value>, describe: Describe): Json {
  const known = [...entries].map(
    ([key, value]) => [jsonOfValue(key, describe), jsonOfValue(value, describe)] as const,
  );
  const named = new Map(
    known.map(([key, value]) => [typeof key === "string" ? key : JSON.stringify(key), value]),
  );
  if (named.size === known.length) return Object.fromEntries(named);
  return { $type: "Dictionary", entries: known.map(([key, value]) => [key, value]) };
}

/** Text if a JavaScript number is not exact. */
function wholeNumber(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function finite(value: number): Json {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** The shortest decimal that is equal in 32 bits, if the value has no higher precision. */
function shortFloat(value: number): Json {
  if (Number.isSafeInteger(value) || Math.fround(value) !== value) return finite(value);
  for (const digits of [6, 7, 8]) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return finite(value);
}
