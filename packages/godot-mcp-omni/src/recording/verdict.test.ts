import { expect, it } from "vitest";
import { isSameValue } from "./verdict.ts";

it("takes numbers that are near for the same, wherever they are, and nothing else", () => {
  expect(isSameValue({ x: 1, y: [2, "a"] }, { x: 1.0004, y: [2, "a"] }, 0.001)).toBe(true);
  expect(isSameValue({ x: 1 }, { x: 1.01 }, 0.001)).toBe(false);
  expect(isSameValue({ x: 1 }, { x: 1, y: 2 }, 1)).toBe(false);
  expect(isSameValue({ x: null }, { y: null }, 1)).toBe(false);
  expect(isSameValue([1], { 0: 1 }, 1)).toBe(false);
  expect(isSameValue("1", 1, 1)).toBe(false);
  expect(isSameValue(null, null, 0)).toBe(true);
  expect(isSameValue(true, 1, 1)).toBe(false);
});
