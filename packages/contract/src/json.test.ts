import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, digest, parseJson } from "./json.ts";

test("equal values have equal canonical JSON, whatever the order of their keys", () => {
  expect(canonicalJson({ b: 1, a: { d: [1, { z: 1, y: 2 }], c: undefined } })).toBe(
    '{"a":{"d":[1,{"y":2,"z":1}]},"b":1}',
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      expect(digest(turned)).toBe(digest(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("different values have different digests", () => {
  expect(digest({ a: "1" })).not.toBe(digest({ a: 1 }));
  expect(digest(["a", "b"])).not.toBe(digest(["ab"]));
});

test("text that is nested too deeply is not parsed, to protect recursive code", () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"a":', "}]"],
  ] as const) {
    const text = (depth: number) => nested(open, close, depth).replace(":}", ":1}");
    for (const depth of [500, 20_000, 200_000]) expect(parseJson(text(depth))).toBeUndefined();
    expect(canonicalJson(parseJson(text(50)))).toBe(text(50));
  }
  const wide = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  expect(parseJson(wide)).toHaveLength(100_000);
});
