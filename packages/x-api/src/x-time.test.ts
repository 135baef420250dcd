import { describe, expect, test } from "vitest";
import { XTime } from "./clock.ts";

const start = Date.UTC(2026, 8, 1, 12);

function machine(aheadMs = 0) {
  const time = { wall: start + aheadMs, monotonic: 0 };
  const clock = { now: () => time.wall, monotonic: () => time.monotonic, after: () => () => {} };
  return { time, xTime: new XTime(clock) };
}

function answered(at: number, type = "application/json; charset=utf-8"): Headers {
  return new Headers({ date: new Date(at).toUTCString(), "content-type": type });
}

describe("X's time", () => {
  test("is the machine's until the first answer of X", () => {
    const { xTime } = machine(7);
    expect(xTime.now()).toBe(start + 7);
    expect(xTime.aheadMs).toBeUndefined();
    expect(xTime.earliest()).toBe(start + 7 - 120_000);
  });

  test.each([-86_400_000, -3_600_000, -61_000, 61_000, 7_200_000, 259_200_000])(
    "is measured by a machine that is %i ms ahead",
    (aheadMs) => {
      const { xTime, time } = machine(aheadMs);
      time.monotonic += 80;
      time.wall += 80;
      xTime.observe(answered(start), 0);
      expect(Math.abs(xTime.now() - (start + 80))).toBeLessThanOrEqual(1_080);
      expect(Math.abs((xTime.aheadMs ?? 0) - aheadMs)).toBeLessThanOrEqual(1_080);
      expect(xTime.earliest()).toBe(xTime.now() - 5_000);
    },
  );

  test("does not change while answers agree with it", () => {
    const { xTime, time } = machine();
    xTime.observe(answered(start), 0);
    for (const ms of [400, 999, 1_000, 60_123]) {
      time.monotonic = time.monotonic + ms;
      time.wall += ms;
      xTime.observe(answered(start + time.monotonic), time.monotonic);
      expect(xTime.now()).toBe(start + time.monotonic);
    }
  });

  test("does not change when the machine's clock is set, in the middle of a request or between two", () => {
    const { xTime, time } = machine();
    xTime.observe(answered(start), 0);
    time.wall += 86_400_000;
    expect(xTime.now()).toBe(start);
    time.monotonic = 2_000;
    xTime.observe(answered(start + 2_000), 1_000);
    expect(xTime.now()).toBe(start + 2_000);
    time.wall -= 3 * 86_400_000;
    expect(xTime.now()).toBe(start + 2_000);
  });

  test.each([-600_000, -20_000, 20_000, 600_000])(
    "is not moved by one answer that is %i ms off, at any place among others",
    (wrongMs) => {
      for (const wrongAt of [1, 2, 3, 5]) {
        const { xTime, time } = machine();
        for (let at = 0; at < 7; at++) {
          time.monotonic += 1_000;
          const date = start + time.monotonic + (at === wrongAt ? wrongMs : 0);
          xTime.observe(answered(date), time.monotonic);
          expect(xTime.now()).toBe(start + time.monotonic);
        }
      }
    },
  );

  test.each([-600_000, 600_000])(
    "is right again with the second answer when the first was %i ms off",
    (wrongMs) => {
      const { xTime, time } = machine();
      xTime.observe(answered(start + wrongMs), 0);
      xTime.observe(answered(start), 0);
      expect(Math.abs(xTime.now() - start)).toBeLessThan(1_000);
      time.monotonic += 5_000;
      xTime.observe(answered(start + 5_000), 5_000);
      expect(Math.abs(xTime.now() - start - 5_000)).toBeLessThan(1_000);
    },
  );

  test.each([-3_600_000, 3_600_000])(
    "is disputed while the machine, %i ms off, and two answers all say something else",
    (wrongMs) => {
      const { xTime } = machine(2 * wrongMs);
      xTime.observe(answered(start), 0);
      xTime.observe(answered(start + wrongMs), 0);
      expect(xTime.isDisputed).toBe(true);
      xTime.observe(answered(start), 0);
      expect(xTime.isDisputed).toBe(false);
      expect(Math.abs(xTime.now() - start)).toBeLessThan(1_000);
    },
  );

  test("follows a jump that a second answer confirms, as after a machine was stopped unnoticed", () => {
    const { xTime } = machine();
    for (let at = 0; at < 3; at++) xTime.observe(answered(start), 0);
    for (let at = 0; at < 2; at++) xTime.observe(answered(start + 3_600_000), 0);
    expect(Math.abs(xTime.now() - start - 3_600_000)).toBeLessThan(1_000);
  });

  test.each([
    ["a page", answered(start - 86_400_000, "text/html")],
    ["an answer without a date", new Headers({ "content-type": "application/json" })],
    ["a date that is none", new Headers({ "content-type": "application/json", date: "yesterday" })],
  ])("is not learned from %s", (_, headers) => {
    const { xTime } = machine();
    xTime.observe(headers, 0);
    expect(xTime.now()).toBe(start);
    expect(xTime.aheadMs).toBeUndefined();
  });
});

test("a fast clock widens the range of X's clocks by the same factor", () => {
  const clock = { now: () => start, monotonic: () => 0, speed: 60, after: () => () => {} };
  expect(new XTime(clock).earliest()).toBe(start - 120_000 * 60);
});
