import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

const names = ["node", "x-api"];

test("a full run is the default", () => {
  expect(parseOptions([], names)).toEqual({
    ok: true,
    value: { help: false, quick: false, only: [], runs: 1, json: undefined, docs: false },
  });
});

test("several names may be asked for", () => {
  expect(parseOptions(["--only", "node", "--only", "x-api"], names)).toMatchObject({
    value: { only: ["node", "x-api"] },
  });
});

test.each([
  [["--only", "bun"], "There is nothing named bun to measure. There is: node, x-api."],
  [["--fast"], "Unknown option '--fast'"],
  [["--runs", "0"], "--runs takes a number from 1 to 20, not 0."],
  [["--docs", "--quick"], "The documentation shows a full run"],
])("%j is refused with what to do", (args, why) => {
  const options = parseOptions(args, names);
  expect(options.ok ? "" : options.failure).toContain(why);
});
