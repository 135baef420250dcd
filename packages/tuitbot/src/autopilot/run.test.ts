import { describe, expect, it, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import { isActive, postingSlot } from "./active-hours.ts";
import { dueAt } from "./progress.ts";
import { circuitBreaker } from "./run.ts";

describe("the circuit breaker", () => {
  const { circuit_breaker } = configSchema.parse({});

  it("opens at five refusals within five minutes, for ten", () => {
    const breaker = circuitBreaker(circuit_breaker);
    for (let at = 0; at < 4; at++) breaker.note(["x_forbidden"], at * 1_000);
    expect(breaker.isOpen(4_000)).toBe(false);
    breaker.note(["x_rate_limited"], 4_000);
    expect(breaker.isOpen(4_000)).toBe(true);
    expect(breaker.isOpen(603_999)).toBe(true);
    expect(breaker.isOpen(604_000)).toBe(false);
    breaker.note(["x_forbidden"], 604_000);
    expect(breaker.isOpen(604_000)).toBe(false);
  });

  it("forgets what is older than its window, and counts refusals only", () => {
    const breaker = circuitBreaker(circuit_breaker);
    for (let at = 0; at < 10; at++) breaker.note(["x_forbidden"], at * 100_000);
    expect(breaker.isOpen(900_000)).toBe(false);
    breaker.note(Array(9).fill("x_network_error"), 900_000);
    expect(breaker.isOpen(900_000)).toBe(false);
  });
});

describe("active hours", () => {
  const schedule = (change: object) => configSchema.parse({ schedule: change }).schedule;
  // A Tuesday.
  const at = (hour: number, minute = 0) => Date.UTC(2026, 8, 1, hour, minute);

  test.each([
    [{}, 7, false],
    [{}, 8, true],
    [{}, 22, false],
    [{ timezone: "Asia/Tokyo" }, 7, true],
    [{ timezone: "Asia/Tokyo" }, 14, false],
    [{ active_days: ["Mon"] }, 12, false],
    [{ active_hours_start: 20, active_hours_end: 4 }, 2, true],
    [{ active_hours_start: 20, active_hours_end: 4 }, 12, false],
  ])("%j at %d: %s", (change, hour, active) => {
    expect(isActive(schedule(change), at(hour))).toBe(active);
  });

  test.each([
    [{}, at(3), "any"],
    [{ preferred_times: ["09:15"] }, at(9, 14), undefined],
    [{ preferred_times: ["09:15"] }, at(9, 15), at(9, 15)],
    [{ preferred_times: ["09:15"] }, at(9, 44), at(9, 15)],
    [{ preferred_times: ["09:15"] }, at(9, 45), undefined],
    [{ preferred_times: ["auto"] }, at(17, 5), at(17)],
    [{ preferred_times: ["09:15"], preferred_times_override: { Tue: [] } }, at(9, 15), undefined],
    [{ preferred_times_override: { Tue: ["10:00"] } }, at(10), at(10)],
  ])("the slot of %j at %d is %s", (change, now, slot) => {
    expect(postingSlot(schedule(change), now)).toBe(slot);
  });
});

test.each([
  [0, 900_000],
  [1, 1_800_000],
  [2, 3_600_000],
  [9, 4_500_000],
])("after %d failures a loop rests for %d ms", (failures, ms) => {
  expect(dueAt({ ranAt: 0, failures }, 900_000, 0)).toBe(ms);
});
