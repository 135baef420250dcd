import { runInMemory } from "@toolpact/cli/testing";
import { expect, test } from "vitest";
import { program } from "./main.ts";

test.each([[["--help"]], [["-h"]], [["soak", "--help"]]])(
  "npm run chaos -- %s prints usage",
  async (words) => {
    const { code, out, err } = await runInMemory(program, words, undefined);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Examples:?$[\s\S]*npm run chaos/m);
  },
);

test.each([
  [["--sqllite", "3"], "--sqlite"],
  [["--sqlite", "many"], "--sqlite"],
  [["--postgres", "-1"], "--postgres"],
  [["soke"], "soak"],
  [["soak", "--calls", "0"], "--calls"],
])("npm run chaos -- %s starts nothing and names %s", async (words, right) => {
  const { code, out, err } = await runInMemory(program, words, undefined);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(right);
  expect(err).not.toContain("    at ");
});
