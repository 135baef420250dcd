import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { dice } from "../fortnight.ts";
import { liveMonth, type Month, wouldApprove } from "./month.ts";
import { monthTables } from "./month-report.ts";

const page = join(import.meta.dirname, "../../../../docs/learned-rules.md");

/** Three agents and a person, twice: without rules, and with those that the person accepts. */
describe("a month with learned rules", () => {
  let before: Month;
  let after: Month;

  beforeAll(async () => {
    before = await liveMonth(dice(7), false);
    after = await liveMonth(dice(7), true);
  }, 300_000);

  test("has fewer questions from the second week on, and publishes nothing that the person would have rejected", () => {
    const sum = ({ questions }: Month, from: number) =>
      questions.slice(from).reduce((all, one) => all + one, 0);
    expect(sum(after, 7)).toBeLessThan(sum(before, 7));
    expect(after.byRules.length).toBeGreaterThan(30);
    expect(after.byRules.filter(({ text }) => !wouldApprove(text))).toEqual([]);
  });

  test("publishes as much as without rules", () => {
    expect(before.byRules).toEqual([]);
    expect(after.published).toBe(before.published);
  });

  test("asks about every call of an agent that follows somebody else's instructions", () => {
    expect(after.byRules.filter(({ text }) => /\$50|evil|password/.test(text))).toEqual([]);
  });

  test("is described with its numbers and everything that rules published", () => {
    const docs = readFileSync(page, "utf8");
    expect(docs).toContain(monthTables(before, after));
    const listed = after.byRules
      .map(({ rule, at, text }) => `${at.slice(0, 10)} rule ${rule}: ${text}`)
      .join("\n");
    expect(docs).toContain(listed);
  });
});
