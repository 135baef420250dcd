import { describe, expect, it } from "vitest";
import type { Value } from "./value.ts";
import { jsonOfValue } from "./value-to-json.ts";

describe("a value of the debugger in JSON", () => {
  it.each<[string, Value, unknown]>([
    [
      "a vector of whole numbers",
      { type: "Vector2i", numbers: [123456792, 2147483520] },
      { x: 123456792, y: 2147483520 },
    ],
    [
      "whole numbers",
      { type: "PackedInt32Array", items: [123456792, -2147483520] },
      [123456792, -2147483520],
    ],
    ["a float of 64 bits that 32 would hold", 0.10000000149011612, 0.10000000149011612],
    ["a float that is whole", 2147483520, 2147483520],
    [
      "floats of 64 bits",
      { type: "PackedFloat64Array", items: [0.10000000149011612] },
      [0.10000000149011612],
    ],
    [
      "floats of 32 bits",
      { type: "PackedFloat32Array", items: [Math.fround(0.1), 123456792] },
      [0.1, 123456792],
    ],
    ["a vector", { type: "Vector2", numbers: [Math.fround(0.1), 123456792] }, { x: 0.1, y: 123456792 }],
    ["what is not finite", [Infinity, -Infinity, NaN], ["inf", "-inf", "nan"]],
    [
      "an integer beyond JSON's",
      [9007199254740993n, 9007199254740991n],
      ["9007199254740993", 9007199254740991],
    ],
    [
      "a dictionary",
      new Map<Value, Value>([
        [1n, "a"],
        ["b", 2n],
      ]),
      { "1": "a", b: 2 },
    ],
    [
      "a dictionary whose keys would fall into one",
      new Map<Value, Value>([
        [1n, "int"],
        ["1", "text"],
      ]),
      {
        $type: "Dictionary",
        entries: [
          [1, "int"],
          ["1", "text"],
        ],
      },
    ],
  ])("is exact: %s", (_name, value, json) => {
    expect(jsonOfValue(value)).toEqual(json);
  });
});
