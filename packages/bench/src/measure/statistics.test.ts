import { expect, test } from "vitest";
import { median, quantile } from "./statistics.ts";

test("a quantile is one of the values, and that share of them does not exceed it", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(median(hundred)).toBe(50);
  expect(quantile(hundred, 0.99)).toBe(99);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});
