import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { SLOW_TESTS } from "./slow-tests.ts";

test("every slow test file exists, so none is left out of both runs", () => {
  expect(SLOW_TESTS.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
});
