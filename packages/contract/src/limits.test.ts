import { expect, test } from "vitest";
import { defaultInputLimits, excess } from "./limits.ts";

test("ordinary arguments are within the limits", () => {
  expect(excess({ text: "hello", tags: ["a", "b"], at: { x: 1, y: 2 } }, defaultInputLimits)).toBeUndefined();
});

test("a nesting bomb, a flood of values and a flood of text are each named", () => {
  const bomb = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(excess(bomb, defaultInputLimits)).toBe("are nested deeper than 32 levels");
  expect(excess({ a: Array.from({ length: 20_000 }, () => 1) }, defaultInputLimits)).toBe(
    "have more than 10000 values",
  );
  expect(excess({ a: "x".repeat(5_000_000) }, defaultInputLimits)).toBe("have more than 1000000 characters");
});
