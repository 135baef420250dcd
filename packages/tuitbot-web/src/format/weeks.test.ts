import { expect, test } from "vitest";
import { firstOf, mondayOf, weekOf } from "./weeks.ts";
import { isoDay } from "./zones.ts";

const at = (text: string) => {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return { year, month, day, hour: 0, minute: 0 };
};

test.each([
  ["2026-11-18", "2026-W47", "2026-11-16"],
  ["2026-12-31", "2026-W53", "2026-12-28"],
  ["2027-01-03", "2026-W53", "2026-12-28"],
  ["2027-01-04", "2027-W01", "2027-01-04"],
  ["2024-12-30", "2025-W01", "2024-12-30"],
])("%s is in week %s, which begins on %s", (day, week, monday) => {
  expect(weekOf(at(day))).toBe(week);
  expect(isoDay(mondayOf(week) ?? at("1970-01-01"))).toBe(monday);
});

test.each(["", "2026", "2026-W00", "2026-W54", "2027-W53", "next"])("%j is no week", (text) => {
  expect(mondayOf(text)).toBeUndefined();
});

test("a month begins on its first day, and 13 is no month", () => {
  expect(isoDay(firstOf("2026-11") ?? at("1970-01-01"))).toBe("2026-11-01");
  expect(firstOf("2026-13")).toBeUndefined();
});
