import type { Config } from "../config/schema.ts";
import { DAYS, type Day, isWithin, localTime } from "../policy/schedule-window.ts";

type Schedule = Config["schedule"];

/** Whether the operator wants anything to be done at this time. */
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

/**
 * The time to post at that has come and not yet passed; undefined between them. `any` where the operator names no
 * times.
 */
export function postingSlot(schedule: Schedule, now: number): "any" | number | undefined {
  const { timezone, preferred_times, preferred_times_override } = schedule;
  const { day, hour, minute } = localTime(now, timezone);
  const named = preferred_times_override[NAMES[DAYS.indexOf(day)] ?? "Mon"];
  const times = named ?? preferred_times.flatMap((time) => (time === "auto" ? AUTO : [time]));
  if (named === undefined && times.length === 0) return "any";
  const minutes = hour * 60 + minute;
  const begun = times
    .map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
    .filter((at) => at <= minutes && minutes < at + SLOT_MINUTES);
  const latest = begun.length === 0 ? undefined : Math.max(...begun);
  return latest === undefined ? undefined : now - (minutes - latest) * 60_000 - (now % 60_000);
}

const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const AUTO: readonly string[] = ["09:15", "12:30", "17:00"];
const SLOT_MINUTES = 30;
