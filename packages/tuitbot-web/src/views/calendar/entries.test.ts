import { expect, test } from "vitest";
import { DAYS, isWithin } from "../../../../tuitbot/src/config/schedule-window.ts";
import { addDays, type WallTime } from "../../format/zones.ts";
import { isActiveAt, slotsOn } from "./entries.ts";

const schedule = {
  timezone: "Europe/Vienna",
  active_hours_start: 8,
  active_hours_end: 22,
  active_days: ["Mon", "Tue", "Wed", "Thu", "Fri"] as const,
  posting_slots: ["09:30", "Sun 18:00"],
};

const week = (year: number, month: number, day: number): readonly WallTime[] =>
  Array.from({ length: 7 }, (_, index) => addDays({ year, month, day, hour: 0, minute: 0 }, index));

const times = (days: readonly WallTime[], zone: string) =>
  slotsOn(days, schedule, zone).map(({ at, day, wall }) => [
    new Date(at).toISOString(),
    `${day} ${wall.hour}:${wall.minute}`,
  ]);

test("slots are times of the schedule's zone, also in the week in which clocks go forward", () => {
  const found = times(week(2027, 3, 22), "Europe/Vienna");
  expect(found).toHaveLength(8);
  expect(found.at(0)).toEqual(["2027-03-22T08:30:00.000Z", "2027-03-22 9:30"]);
  expect(found.at(-2)).toEqual(["2027-03-28T07:30:00.000Z", "2027-03-28 9:30"]);
  expect(found.at(-1)).toEqual(["2027-03-28T16:00:00.000Z", "2027-03-28 18:0"]);
});

test("slots are shown at the hour and on the day of the zone that is looked at", () => {
  // In Auckland it is half a day later: the slot of Sunday evening is on Monday.
  expect(times(week(2026, 11, 16), "Pacific/Auckland")).toContainEqual([
    "2026-11-15T17:00:00.000Z",
    "2026-11-16 6:0",
  ]);
  expect(times(week(2026, 11, 16), "Pacific/Auckland").at(-1)).toEqual([
    "2026-11-22T08:30:00.000Z",
    "2026-11-22 21:30",
  ]);
});

test.each([
  [8, 22, ["Mon", "Tue", "Wed", "Thu", "Fri"]],
  [22, 4, ["Fri", "Sun"]],
  [9, 9, ["Tue"]],
  [0, 24, []],
] as const)(
  "from %s to %s on %j the loops work when the server says so, for every hour of a year",
  (from, to, days) => {
    const window = {
      start_hour: from,
      end_hour: to,
      timezone: schedule.timezone,
      days: DAYS.filter((day) => days.some((one) => one.toLowerCase() === day)),
    };
    const shown = { ...schedule, active_hours_start: from, active_hours_end: to, active_days: days };
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 3_600_000)
      expect(isActiveAt(at, shown)).toBe(isWithin(window, at));
  },
);
