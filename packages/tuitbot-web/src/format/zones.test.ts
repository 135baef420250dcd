import { describe, expect, test } from "vitest";
import { addDays, instantOf, isoDay, wallTime, weekdayOf } from "./zones.ts";

const at = (text: string) => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = text.split(/\D/).map(Number);
  return { year, month, day, hour, minute };
};

describe("the instant of a time on the wall", () => {
  test.each([
    ["Europe/Vienna", "2026-01-15T09:30", "2026-01-15T08:30:00Z"],
    ["Europe/Vienna", "2026-07-15T09:30", "2026-07-15T07:30:00Z"],
    // Clocks go forward from 2:00 to 3:00: half an hour into the hour that is not there.
    ["Europe/Vienna", "2026-03-29T02:30", "2026-03-29T01:30:00Z"],
    // Clocks go back from 3:00 to 2:00: the first of two.
    ["Europe/Vienna", "2026-10-25T02:30", "2026-10-25T00:30:00Z"],
    ["America/New_York", "2026-11-01T01:15", "2026-11-01T05:15:00Z"],
    ["Asia/Kathmandu", "2026-06-01T00:00", "2026-05-31T18:15:00Z"],
    ["Pacific/Kiritimati", "2026-01-01T00:00", "2025-12-31T10:00:00Z"],
    ["UTC", "2026-12-31T23:59", "2026-12-31T23:59:00Z"],
  ])("in %s of %s is %s", (zone, wall, instant) => {
    expect(instantOf(at(wall), zone)).toBe(Date.parse(instant));
  });

  test.each(["Europe/Vienna", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata"])(
    "in %s shows that very time, for every hour of a year",
    (zone) => {
      const start = Date.UTC(2026, 0, 1);
      for (let hour = 0; hour < 365 * 24; hour++) {
        const instant = start + hour * 3_600_000;
        const back = instantOf(wallTime(instant, zone), zone);
        expect(wallTime(back, zone)).toEqual(wallTime(instant, zone));
        // Earlier only where clocks show the time twice.
        expect(instant - back === 0 || instant - back === 3_600_000 || instant - back === 1_800_000).toBe(
          true,
        );
      }
    },
  );
});

test("days follow each other over the ends of months, years and February", () => {
  expect(isoDay(addDays(at("2026-12-31"), 1))).toBe("2027-01-01");
  expect(isoDay(addDays(at("2028-02-28"), 1))).toBe("2028-02-29");
  expect(isoDay(addDays(at("2026-03-01"), -1))).toBe("2026-02-28");
  expect(weekdayOf(at("2026-11-16"))).toBe(0);
  expect(weekdayOf(at("2026-11-22"))).toBe(6);
});
