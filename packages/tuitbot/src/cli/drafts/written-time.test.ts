import { expect, test } from "vitest";
import { writtenTime } from "./written-time.ts";

const now = Date.parse("2026-11-20T02:00:00Z");

test.each([
  ["2026-11-22 07:30", "America/New_York", "2026-11-22T12:30:00.000Z"],
  ["2026-07-01 7:30", "America/New_York", "2026-07-01T11:30:00.000Z"],
  ["2026-11-22 00:15", "Pacific/Kiritimati", "2026-11-21T10:15:00.000Z"],
  ["2026-11-22 23:45", "Pacific/Pago_Pago", "2026-11-23T10:45:00.000Z"],
  ["today 21:30", "America/New_York", "2026-11-20T02:30:00.000Z"],
  ["Tomorrow 9:00", "America/New_York", "2026-11-20T14:00:00.000Z"],
  ["tomorrow 9:00", "UTC", "2026-11-21T09:00:00.000Z"],
])("%s in %s is %s", (given, zone, at) => {
  expect(writtenTime(given, zone, now)).toBe(at);
});

test.each(["tomorrow", "2026-11-22", "2026-13-40 09:00", "tomorrow 25:00", "2026-11-22T07:30:00Z", "soon"])(
  "%s is left as it is",
  (given) => {
    expect(writtenTime(given, "UTC", now)).toBe(given);
  },
);
