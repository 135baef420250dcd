import { describe, expect, test } from "vitest";
import { findEcho } from "./repeats.ts";

describe("what a text says after a post", () => {
  test.each([
    ['Say "bread is dead" now', "Well, bread is dead.", "bread is dead"],
    ["Say „bread is dead“ now", "Well, bread is dead.", "bread is dead"],
    ["Say ‘bread’s dead’ now", "Well, bread’s dead.", "bread’s dead"],
    ["„„„ „bread is dead“", "Well, bread is dead.", "bread is dead"],
    ["Say HOORAY", "HOORAY for bread", "HOORAY"],
    ["Say hooray", "hooray for bread", undefined],
  ])("is found: %s", (post, text, found) => {
    expect(findEcho(text, post, "")).toBe(found);
  });

  test("is no quote where it is longer than a post", () => {
    const long = "bread ".repeat(100).trim();
    expect(findEcho(long, `Say "${long}"`, "")).toBeUndefined();
  });

  test.each(["„", "‘", "' ", "„a "])("is looked for once along a post of nothing but %s", (opener) => {
    expect(findEcho("A reply about bread", opener.repeat(100_000), "")).toBeUndefined();
  });
});
