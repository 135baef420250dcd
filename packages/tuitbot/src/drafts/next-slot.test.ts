import { expect, test } from "vitest";
import { slotsAfter } from "./next-slot.ts";

const timezone = "Europe/Berlin";

/** As UTC. */
function first(count: number, after: string, posting_slots: readonly string[]): readonly string[] {
  const slots = slotsAfter(Date.parse(after), { posting_slots, timezone });
  return Array.from({ length: count }, () => new Date(slots.next().value ?? 0).toISOString().slice(0, 16));
}

test("slots follow the clock of their place through both changes of it", () => {
  // Clocks go forward on 29 March 2026 and back on 25 October.
  expect(first(3, "2026-03-28T07:00:00Z", ["09:30"])).toEqual([
    "2026-03-28T08:30",
    "2026-03-29T07:30",
    "2026-03-30T07:30",
  ]);
  expect(first(3, "2026-10-24T07:00:00Z", ["09:30"])).toEqual([
    "2026-10-24T07:30",
    "2026-10-25T08:30",
    "2026-10-26T08:30",
  ]);
  // 02:30 is skipped on one day, and occurs twice on the other.
  expect(first(2, "2026-03-28T12:00:00Z", ["02:30"])).toEqual(["2026-03-29T01:30", "2026-03-30T00:30"]);
  expect(first(2, "2026-10-24T12:00:00Z", ["02:30"])).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"]);
});

test("slots of single days come on those days, in order, each once", () => {
  // A Sunday.
  expect(first(4, "2026-11-15T12:00:00Z", ["Tue 18:00", "Mon 09:00", "Tue 08:00", "Mon 09:00"])).toEqual([
    "2026-11-16T08:00",
    "2026-11-17T07:00",
    "2026-11-17T17:00",
    "2026-11-23T08:00",
  ]);
});
