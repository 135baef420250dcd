import { expect, test } from "vitest";
import { readScheduleTime } from "./edit-draft.ts";

const now = Date.parse("2026-09-01T12:00:00Z");

test.each([
  { text: "2026-09-01T12:30:00Z", at: "2026-09-01T12:30:00Z" },
  { text: "2026-09-01T14:30:00+02:00", at: "2026-09-01T12:30:00Z" },
  { text: "2026-09-01T23:30:00.250-05:00", at: "2026-09-02T04:30:00.250Z" },
  { text: "2026-09-01T11:55:00Z", at: "2026-09-01T12:00:00Z" },
])("the schedule time $text is read as $at", ({ text, at }) => {
  expect(readScheduleTime(text, now)).toEqual({ ok: true, value: Date.parse(at) });
});

test.each([
  "2026-09-01T12:30:00",
  "2026-09-01 12:30:00Z",
  "2026-09-01",
  "tomorrow",
  "2026-02-30T12:00:00Z",
  "2026-09-01T25:00:00Z",
  "2026-09-01T11:54:59Z",
  "2028-09-01T12:00:00Z",
])("the schedule time %s is rejected", (text) => {
  expect(readScheduleTime(text, now)).toMatchObject({ ok: false, failure: { code: "invalid_input" } });
});
