import fc from "fast-check";
import { FLOATS, INTS, PACKED, type Value } from "../src/game/debugger/value.ts";

const f32 = fc.float({ noNaN: true });
const i32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** Godot ends a text at a zero and drops a mark of byte order. */
const text = fc.string({ unit: "grapheme", maxLength: 12 }).map((value) => value.replace(/[\0\ufeff]/g, ""));
/** A path consists of names without its separators. */
const name = fc.stringMatching(/^[a-zA-Z0-9 _]{1,8}$/);

const named = <T extends string>(type: T) => fc.constant(type);

const compounds: fc.Arbitrary<Value>[] = [
  ...Object.entries(FLOATS).map(([type, { width }]) => numbersOf(type, width, f32)),
  ...Object.entries(INTS).map(([type, { width }]) => numbersOf(type, width, i32)),
];

const packed: fc.Arbitrary<Value>[] = Object.entries(PACKED).map(([type, { width, of }]) => {
  const number = of === "i32" ? i32 : of === "f64" ? fc.double({ noNaN: true }) : f32;
  const items = fc
    .array(fc.array(number, { minLength: width, maxLength: width }), { maxLength: 4 })
    .map((rows) => rows.flat());
  // The keys of the table are the types.
  return fc.record({ type: named(type), items }) as fc.Arbitrary<Value>;
});

const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  i64,
  i32.map(BigInt),
  fc.double({ noNaN: true }),
  f32,
  text,
  fc.uint8Array({ maxLength: 9 }),
  fc.record({ type: named("StringName"), value: text }),
  fc.record({
    type: named("NodePath"),
    isAbsolute: fc.boolean(),
    names: fc.array(name, { minLength: 1, maxLength: 3 }),
    subnames: fc.array(name, { maxLength: 2 }),
  }),
  fc.record({ type: named("RID"), id: u64 }),
  fc.constant({ type: "Callable" as const }),
  fc.record({ type: named("PackedInt64Array"), items: fc.array(i64, { maxLength: 4 }) }),
  fc.record({ type: named("PackedStringArray"), items: fc.array(text, { maxLength: 4 }) }),
  ...compounds,
  ...packed,
);

/**
 * Godot reads the id of an object as an object that holds it, so it does not come back as it went. One with the id 0
 * is no object: Godot makes null of it.
 */
export const anyObject = fc.record({ type: named("Object"), id: u64.filter((id) => id > 0n) });

const INT = { kind: "builtin", type: 2 } as const;
const STRING = { kind: "builtin", type: 4 } as const;

/** Any value that Godot can serialise, but objects. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(text, tie("value")), { maxLength: 4, selector: ([key]) => key })
      .map((entries): Value => new Map(entries)),
    fc.record({ type: named("Array"), of: fc.constant(INT), items: fc.array(i64, { maxLength: 3 }) }),
    // The only class whose objects are read from bytes that may hold none.
    fc.constant<Value>({ type: "Array", of: { kind: "class", name: "EncodedObjectAsID" }, items: [] }),
    fc.array(i64, { maxLength: 3 }).map(
      (numbers): Value => ({
        type: "Dictionary",
        key: STRING,
        value: INT,
        entries: new Map(numbers.map((number, index) => [`k${index}`, number])),
      }),
    ),
  ),
})).value;

function numbersOf(type: string, width: number, number: fc.Arbitrary<number>): fc.Arbitrary<Value> {
  // The keys of the table are the types.
  return fc.record({
    type: named(type),
    numbers: fc.array(number, { minLength: width, maxLength: width }),
  }) as fc.Arbitrary<Value>;
}
