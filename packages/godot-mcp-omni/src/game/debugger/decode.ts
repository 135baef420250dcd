import { FLOATS, INTS, PACKED, TYPE, type TypeName, type Value } from "./value.ts";

/** Thrown for bytes that are not a value; caught where a message is read. */
export class BadValue extends Error {}

/** Decodes a value that takes up all the bytes. */
export function decodeValue(bytes: Buffer): Value {
  const reader = new Reader(bytes);
  const value = readValue(reader, 0);
  reader.end();
  return value;
}

const MAX_DEPTH = 200;
/** Flag in a header: the number has 64 bits; for an object, only its id follows. */
const WIDE = 1 << 16;

function readValue(reader: Reader, depth: number): Value {
  if (depth > MAX_DEPTH) throw new BadValue(`Values are nested deeper than ${MAX_DEPTH}.`);
  const header = reader.u32();
  const type = header & 0xff;
  const isWide = (header & WIDE) !== 0;
  const float = FLOAT_BY_TYPE.get(type);
  if (float !== undefined)
    return {
      type: float.name,
      numbers: reader.list(float.width, isWide ? 8 : 4, isWide ? reader.f64 : reader.f32),
    };
  const int = INT_BY_TYPE.get(type);
  if (int !== undefined) return { type: int.name, numbers: reader.list(int.width, 4, reader.i32) };
  const packed = PACKED_BY_TYPE.get(type);
  if (packed !== undefined) {
    const { of } = packed;
    const is64 = of === "f64" || (of === "real" && isWide);
    const read = of === "i32" ? reader.i32 : is64 ? reader.f64 : reader.f32;
    return { type: packed.name, items: reader.list(reader.u32() * packed.width, is64 ? 8 : 4, read) };
  }
  switch (type) {
    case TYPE.nil:
      return null;
    case TYPE.bool:
      return reader.u32() !== 0;
    case TYPE.int:
      return isWide ? reader.i64() : BigInt(reader.i32());
    case TYPE.float:
      return isWide ? reader.f64() : reader.f32();
    case TYPE.String:
      return reader.text();
    case TYPE.StringName:
      return { type: "StringName", value: reader.text() };
    case TYPE.NodePath:
      return readNodePath(reader);
    case TYPE.RID:
      return { type: "RID", id: reader.u64() };
    case TYPE.Object:
      if (!isWide) throw new BadValue("A whole object came where only its id may.");
      return { type: "Object", id: reader.u64() };
    case TYPE.Callable:
      return { type: "Callable" };
    case TYPE.Signal: {
      const name = reader.text();
      return { type: "Signal", name, id: reader.u64() };
    }
    case TYPE.Dictionary: {
      const key = readTypeName(reader, header >> 16);
      const value = readTypeName(reader, header >> 18);
      const entries = new Map<Value, Value>();
      for (let left = reader.u32() & 0x7fffffff; left > 0; left--) {
        const name = readValue(reader, depth + 1);
        entries.set(name, readValue(reader, depth + 1));
      }
      return key.kind === "any" && value.kind === "any"
        ? entries
        : { type: "Dictionary", key, value, entries };
    }
    case TYPE.Array: {
      const of = readTypeName(reader, header >> 16);
      const items: Value[] = [];
      for (let left = reader.u32() & 0x7fffffff; left > 0; left--) items.push(readValue(reader, depth + 1));
      return of.kind === "any" ? items : { type: "Array", of, items };
    }
    case TYPE.PackedByteArray: {
      const length = reader.u32();
      const bytes = Uint8Array.from(reader.bytes(length));
      reader.pad(length);
      return bytes;
    }
    case TYPE.PackedInt64Array:
      return { type: "PackedInt64Array", items: reader.list(reader.u32(), 8, reader.i64) };
    case TYPE.PackedStringArray:
      // Godot writes a string with its terminating zero only here.
      return {
        type: "PackedStringArray",
        items: reader.list(reader.u32(), 4, () => reader.text().replace(/\0$/, "")),
      };
    default:
      throw new BadValue(`There is no type ${type}.`);
  }
}

function readNodePath(reader: Reader): Value {
  const names = reader.u32() & 0x7fffffff;
  const subnames = reader.u32();
  const isAbsolute = (reader.u32() & 1) !== 0;
  return {
    type: "NodePath",
    isAbsolute,
    names: reader.list(names, 4, reader.text),
    subnames: reader.list(subnames, 4, reader.text),
  };
}

function readTypeName(reader: Reader, bits: number): TypeName {
  switch (bits & 3) {
    case 1:
      return { kind: "builtin", type: reader.u32() };
    case 2:
      return { kind: "class", name: reader.text() };
    case 3:
      return { kind: "script", path: reader.text() };
    default:
      return { kind: "any" };
  }
}

function byType<const Table extends Record<string, { readonly type: number; readonly width: number }>>(
  table: Table,
) {
  type Row = { readonly name: keyof Table & string } & Table[keyof Table];
  // The rows of a table are the values of its entries.
  return new Map(Object.entries(table).map(([name, row]) => [row.type, { name, ...row } as unknown as Row]));
}

const FLOAT_BY_TYPE = byType(FLOATS);
const INT_BY_TYPE = byType(INTS);
const PACKED_BY_TYPE = byType(PACKED);

class Reader {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  readonly u32 = (): number => this.buffer.readUInt32LE(this.take(4));
  readonly i32 = (): number => this.buffer.readInt32LE(this.take(4));
  readonly i64 = (): bigint => this.buffer.readBigInt64LE(this.take(8));
  readonly u64 = (): bigint => this.buffer.readBigUInt64LE(this.take(8));
  readonly f32 = (): number => this.buffer.readFloatLE(this.take(4));
  readonly f64 = (): number => this.buffer.readDoubleLE(this.take(8));

  readonly text = (): string => {
    const length = this.u32();
    const text = this.bytes(length).toString("utf8");
    this.pad(length);
    return text;
  };

  bytes(length: number): Buffer {
    const from = this.take(length);
    return this.buffer.subarray(from, from + length);
  }

  pad(length: number): void {
    this.take(-length & 3);
  }

  /** Each element takes at least `least` bytes, so a false length is detected before memory is allocated. */
  list<T>(length: number, least: number, read: () => T): T[] {
    if (length * least > this.buffer.length - this.at)
      throw new BadValue("A list is longer than its message.");
    return Array.from({ length }, read);
  }

  end(): void {
    if (this.at !== this.buffer.length) throw new BadValue("Something follows the value.");
  }

  private take(length: number): number {
    const from = this.at;
    if (from + length > this.buffer.length) throw new BadValue("A value ends too early.");
    this.at = from + length;
    return from;
  }
}
