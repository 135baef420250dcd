import { expect, test } from "vitest";
import { SpentAnswers } from "./internals.ts";

test("an answer counts once, and only the oldest of very many is forgotten", () => {
  const spent = new SpentAnswers();
  for (let id = 0; id <= 10_000; id++) expect(spent.spend(String(id))).toBe(true);
  expect(spent.spend("1")).toBe(false);
  expect(spent.spend("10000")).toBe(false);
  expect(spent.spend("0")).toBe(true);
});
