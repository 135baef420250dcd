import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DAYS, isWithin } from "./schedule-window.ts";

test("a window agrees with a plain walk through the hours", () => {
  const hour = fc.nat(23);
  fc.assert(
    fc.property(hour, hour, fc.subarray([...DAYS]), fc.nat(7 * 24 - 1), (start_hour, end_hour, days, at) => {
      // A Monday at midnight.
      const now = Date.UTC(2026, 8, 28) + at * 3_600_000;
      const length = ((end_hour - start_hour + 23) % 24) + 1;
      const isCovered = DAYS.some((day, index) => {
        if (days.length > 0 && !days.includes(day)) return false;
        const begins = index * 24 + start_hour;
        return (at - begins + 168) % 168 < length;
      });
      expect(isWithin({ start_hour, end_hour, days, timezone: "UTC" }, now)).toBe(isCovered);
    }),
  );
});

test.each([
  ["2026-07-01T07:30:00Z", true],
  ["2026-01-15T08:30:00Z", true],
  ["2026-01-15T07:30:00Z", false],
])("a window is of its time zone, also where the clocks change: %s is %s", (iso, isInside) => {
  const window = { start_hour: 9, end_hour: 10, days: [], timezone: "Europe/Vienna" };
  expect(isWithin(window, Date.parse(iso))).toBe(isInside);
});
