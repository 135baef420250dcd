import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseVariant, quote, unquote, type Variant, writeVariant } from "./variant.ts";

describe("a value in Godot's text", () => {
  it.each([
    "null",
    "true",
    "-1.5e-07",
    "9223372036854775807",
    "inf",
    '"two\nlines \\"quoted\\" \\\\"',
    '&"name"',
    'NodePath("A/B:c")',
    "Vector2(1, 2.5)",
    "[]",
    '[1, [true, null], "x"]',
    "{}",
    '{\n"k": Color(1, 0.5, 0, 1),\nVector2(1, 2): &"sn"\n}',
    'Array[String](["a"])',
    'Array[ExtResource("1_a")]([SubResource("x")])',
    'Dictionary[String, int]({\n"a": 1\n})',
    'PackedByteArray("AAEC")',
    'Object(InputEventKey,"device":0,"script":null)',
  ])("%s reads and writes the same", (text) => {
    const value = parseVariant(text);
    expect(value.ok && writeVariant(value.value)).toBe(text);
  });

  it("reads the older ways to write a path and infinity", () => {
    expect(parseVariant('^"A"')).toMatchObject({ value: { kind: "call", name: "NodePath" } });
    expect(parseVariant("inf_neg")).toMatchObject({ value: { kind: "number", text: "-inf" } });
  });

  it.each(["", "[1", "nope", '"open', "1 2", "{1}", "Vector2(1 2)", "Array[int]", "Array[int]({})"])(
    "%j is refused",
    (text) => {
      expect(parseVariant(text)).toMatchObject({ ok: false, failure: { code: "E_UNSUPPORTED" } });
    },
  );

  it("keeps any string through writing and reading", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(unquote(quote(text))).toBe(text);
      }),
    );
  });

  it("keeps any value through writing and reading", () => {
    fc.assert(
      fc.property(anyVariant(), (value) => {
        expect(parseVariant(writeVariant(value))).toEqual({ ok: true, value });
      }),
    );
  });
});

function anyVariant(): fc.Arbitrary<Variant> {
  const { tree } = fc.letrec<{ tree: Variant }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constant<Variant>({ kind: "nil" }),
      fc.boolean().map<Variant>((value) => ({ kind: "bool", value })),
      fc.integer().map<Variant>((value) => ({ kind: "number", text: String(value) })),
      fc.string({ unit: "binary" }).map<Variant>((value) => ({ kind: "string", value })),
      fc.string().map<Variant>((value) => ({ kind: "name", value })),
      fc.array(tie("tree"), { maxLength: 4 }).map<Variant>((items) => ({ kind: "array", items })),
      fc.array(tie("tree"), { maxLength: 4 }).map<Variant>((items) => ({ kind: "array", of: "int", items })),
      fc
        .array(fc.tuple(tie("tree"), tie("tree")), { maxLength: 4 })
        .map<Variant>((entries) => ({ kind: "dictionary", entries })),
      fc
        .tuple(fc.constantFrom("Vector2", "SubResource"), fc.array(tie("tree"), { maxLength: 3 }))
        .map<Variant>(([name, args]) => ({ kind: "call", name, args })),
      fc
        .array(fc.tuple(tie("tree"), tie("tree")), { maxLength: 3 })
        .map<Variant>((entries) => ({ kind: "object", type: "InputEventKey", entries })),
    ),
  }));
  return tree;
}
