import { MINUTE_MS } from "@toolpact/contract/internal";
import { DAYS, type Day, isWithin, localTime, timeOnDay } from "../config/schedule-window.ts";
import type { Config } from "../config/schema.ts";

type Schedule = Config["schedule"];

export function isActive(schedule: Schedule, now: number): boolean {
  return isWithin(
    {
      start_hour: schedule.active_hours_start,
      end_hour: schedule.active_hours_end,
      timezone: schedule.timezone,
      days: schedule.active_days.map((day) => day.toLowerCase() as Day),
    },
    now,
  );
}

/** From then on, by quarters of an hour; undefined if there is none in a week. */
export function nextActive(schedule: Schedule, from: number): number | undefined {
  if (isActive(schedule, from)) return from;
  const first = Math.floor(from / QUARTER_MS) + 1;
  for (let quarter = first; quarter <= first + QUARTERS_OF_A_WEEK; quarter++)
    if (isActive(schedule, quarter * QUARTER_MS)) return quarter * QUARTER_MS;
  return undefined;
}

/** Time zones differ from UTC by quarters of an hour. */
const QUARTER_MS = 900_000;
const QUARTERS_OF_A_WEEK = 7 * 24 * 4;

/** The current preferred time; undefined between them. `any` if the operator names none. */
export function postingSlot(schedule: Schedule, now: number): "any" | number | undefined {
  const { timezone, preferred_times, preferred_times_override } = schedule;
  const { day } = localTime(now, timezone);
  const named = preferred_times_override[NAMES[DAYS.indexOf(day)] ?? "Mon"];
  const times = named ?? preferred_times.flatMap((time) => (time === "auto" ? AUTO : [time]));
  if (named === undefined && times.length === 0) return "any";
  const begun = times
    .map((time) => timeOnDay(time, now, timezone))
    .filter((at) => at <= now && now < at + SLOT_MS);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const AUTO: readonly string[] = ["09:15", "12:30", "17:00"];
const SLOT_MS = 30 * MINUTE_MS;
