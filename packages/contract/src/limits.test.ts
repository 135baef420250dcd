import { expect, test } from "vitest";
import { excess } from "./bad-input.ts";

test("ordinary arguments are within the limits", () => {
  expect(excess({ text: "hello", tags: ["a", "b"], at: { x: 1, y: 2 } })).toBeUndefined();
});

test("deep nesting, too many values and too much text are each reported", () => {
  const bomb = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(excess(bomb)).toBe("are nested deeper than 32 levels");
  expect(excess({ a: Array.from({ length: 20_000 }, () => 1) })).toBe("have more than 10000 values");
  const text = "x".repeat(5_000_000);
  expect(excess({ a: text })).toBe("have more than 1000000 characters");
  expect(excess(JSON.parse('{ "a": [{ "__proto__": {} }] }'))).toBe("have a member with the name __proto__");
  expect(excess({ [text]: 1 })).toBe("have more than 1000000 characters");
});
