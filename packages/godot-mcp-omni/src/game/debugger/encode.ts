import { FLOATS, INTS, isList, isMap, PACKED, TYPE, type TypeName, type Value } from "./value.ts";

export function encodeValue(value: Value): Buffer {
  return Buffer.concat(partsOf(value));
}

const WIDE = 1 << 16;

function partsOf(value: Value): readonly Buffer[] {
  if (value === null) return [u32(TYPE.nil)];
  if (typeof value === "boolean") return [u32(TYPE.bool), u32(value ? 1 : 0)];
  if (typeof value === "bigint")
    return BigInt.asIntN(32, value) === value
      ? [u32(TYPE.int), i32(Number(value))]
      : [u32(TYPE.int | WIDE), i64(value)];
  if (typeof value === "number")
    return Math.fround(value) === value
      ? [u32(TYPE.float), f32(value)]
      : [u32(TYPE.float | WIDE), f64(value)];
  if (typeof value === "string") return [u32(TYPE.String), text(value)];
  if (value instanceof Uint8Array)
    return [u32(TYPE.PackedByteArray), u32(value.length), padded(Buffer.from(value))];
  if (isList(value)) return [u32(TYPE.Array), ...itemsOf(value)];
  if (isMap(value)) return [u32(TYPE.Dictionary), ...entriesOf(value)];
  return namedParts(value);
}

type Named = Extract<Value, { readonly type: string }>;

function namedParts(value: Named): readonly Buffer[] {
  switch (value.type) {
    case "StringName":
      return [u32(TYPE.StringName), text(value.value)];
    case "NodePath":
      return [
        u32(TYPE.NodePath),
        // The highest bit marks the newer of two formats.
        u32(value.names.length | 0x80000000),
        u32(value.subnames.length),
        u32(value.isAbsolute ? 1 : 0),
        ...[...value.names, ...value.subnames].map(text),
      ];
    case "RID":
      return [u32(TYPE.RID), u64(value.id)];
    case "Object":
      return [u32(TYPE.Object | WIDE), u64(value.id)];
    case "Callable":
      return [u32(TYPE.Callable)];
    case "Signal":
      return [u32(TYPE.Signal), text(value.name), u64(value.id)];
    case "Array":
      return [u32(TYPE.Array | (kindOf(value.of) << 16)), nameOf(value.of), ...itemsOf(value.items)];
    case "Dictionary":
      return [
        u32(TYPE.Dictionary | (kindOf(value.key) << 16) | (kindOf(value.value) << 18)),
        nameOf(value.key),
        nameOf(value.value),
        ...entriesOf(value.entries),
      ];
    case "PackedInt64Array":
      return [u32(TYPE.PackedInt64Array), u32(value.items.length), ...value.items.map(i64)];
    case "PackedStringArray":
      return [
        u32(TYPE.PackedStringArray),
        u32(value.items.length),
        ...value.items.map((item) => text(`${item}\0`)),
      ];
    default:
      return numberParts(value);
  }
}

type Numbers = Extract<Named, { readonly numbers: unknown } | { readonly type: keyof typeof PACKED }>;

function numberParts(value: Numbers): readonly Buffer[] {
  if ("items" in value) {
    const { type, width, of } = PACKED[value.type];
    const number = of === "i32" ? i32 : of === "f64" ? f64 : f32;
    return [u32(type), u32(value.items.length / width), ...value.items.map(number)];
  }
  return isFloats(value.type)
    ? [u32(FLOATS[value.type].type), ...value.numbers.map(f32)]
    : [u32(INTS[value.type].type), ...value.numbers.map(i32)];
}

function itemsOf(items: readonly Value[]): readonly Buffer[] {
  return [u32(items.length), ...items.flatMap(partsOf)];
}

function entriesOf(entries: ReadonlyMap<Value, Value>): readonly Buffer[] {
  return [u32(entries.size), ...[...entries].flatMap(([key, value]) => [...partsOf(key), ...partsOf(value)])];
}

function kindOf(type: TypeName): number {
  return { any: 0, builtin: 1, class: 2, script: 3 }[type.kind];
}

function nameOf(type: TypeName): Buffer {
  switch (type.kind) {
    case "any":
      return Buffer.alloc(0);
    case "builtin":
      return u32(type.type);
    case "class":
      return text(type.name);
    case "script":
      return text(type.path);
  }
}

function isFloats(type: keyof typeof FLOATS | keyof typeof INTS): type is keyof typeof FLOATS {
  return type in FLOATS;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([u32(bytes.length), padded(bytes)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

const u32 = (value: number) => bytes(4, (to) => to.writeUInt32LE(value >>> 0));
const i32 = (value: number) => bytes(4, (to) => to.writeInt32LE(value));
const i64 = (value: bigint) => bytes(8, (to) => to.writeBigInt64LE(value));
const u64 = (value: bigint) => bytes(8, (to) => to.writeBigUInt64LE(value));
const f32 = (value: number) => bytes(4, (to) => to.writeFloatLE(value));
const f64 = (value: number) => bytes(8, (to) => to.writeDoubleLE(value));

function bytes(length: number, write: (to: Buffer) => void): Buffer {
  const made = Buffer.allocUnsafe(length);
  write(made);
  return made;
}
