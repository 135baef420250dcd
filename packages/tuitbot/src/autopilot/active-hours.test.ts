import { expect, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import { postingSlot } from "./active-hours.ts";

const MINUTE = 60_000;

/** As found by looking each minute. */
function slotsOn(day: string, timezone: string, preferred_times: readonly string[]): readonly string[] {
  const { schedule } = configSchema.parse({ schedule: { timezone, preferred_times } });
  const start = Date.parse(`${day}T00:00:00Z`);
  const slots = Array.from({ length: 24 * 60 }, (_, minute) => {
    const slot = postingSlot(schedule, start + minute * MINUTE + 7_000);
    return typeof slot === "number" ? new Date(slot).toISOString().slice(11, 16) : undefined;
  });
  return [...new Set(slots.filter((slot) => slot !== undefined))];
}

test.each([
  { on: "an ordinary day", day: "2026-07-01", times: ["02:15", "09:15"], slots: ["00:15", "07:15"] },
  {
    on: "the day with an hour less",
    day: "2026-03-29",
    times: ["02:15", "09:15"],
    slots: ["01:15", "07:15"],
  },
  {
    on: "the day with an hour more",
    day: "2026-10-25",
    times: ["02:15", "09:15"],
    slots: ["00:15", "08:15"],
  },
])("each time to post comes once on $on", ({ day, times, slots }) => {
  expect(slotsOn(day, "Europe/Berlin", times)).toEqual(slots);
});

test("a time that a change of clocks at midnight leaves out comes after it", () => {
  // In Havana, 01:00 follows 00:00 on that day.
  expect(slotsOn("2026-03-08", "America/Havana", ["00:15"])).toEqual(["05:15"]);
});
