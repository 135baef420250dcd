import { describe, expect, test } from "vitest";
import { bar, sparkline } from "./plot.ts";
import { clip } from "./terminal.ts";

describe("sparkline", () => {
  test.each([
    [[1, 2, 3, 4, 5, 6, 7, 8], "▁▂▃▄▅▆▇█"],
    [[8, 1], "█▁"],
    [[-10, 0, 10], "▁▅█"],
    [[5, 5, 5], "▅▅▅"],
    [[0, 0], "▅▅"],
    [[1, null, 8], "▁ █"],
    [[null, null], "  "],
    [[], ""],
  ])("%j is %j", (values, drawn) => {
    expect(sparkline(values)).toBe(drawn);
  });

  test("shows the latest numbers if there is no room for all, scaled among themselves", () => {
    expect(sparkline([100, 1, 2, 3], 3)).toBe("▁▅█");
    expect(sparkline([1, 2], 0)).toBe("");
  });
});

describe("bar", () => {
  test.each([
    [8, 8, 4, "████"],
    [4, 8, 4, "██"],
    [3, 8, 4, "█▌"],
    [0, 8, 4, ""],
    [0.001, 8, 4, "▏"],
    [99, 8, 4, "████"],
    [1, 0, 4, ""],
    [1, 1, 0, ""],
  ])("%d of %d in %d is %j", (value, max, width, drawn) => {
    expect(bar(value, max, width)).toBe(drawn);
  });
});

test("a text that does not fit is cut between characters, with an ellipsis", () => {
  expect(clip("hello", 5)).toBe("hello");
  expect(clip("hello", 4)).toBe("hel…");
  expect(clip("🍞🍞🍞", 2)).toBe("🍞…");
});
