import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, digest } from "./json.ts";

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
