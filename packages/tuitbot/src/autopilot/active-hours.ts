import { DAYS, type Day, isWithin, localTime } from "../config/schedule-window.ts";
import type { Config } from "../config/schema.ts";

type Schedule = Config["schedule"];

/** Whether this time is within the active hours. */
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
 * The preferred time that has come and not passed yet; undefined between them. `any` if the operator names no times.
 */
export function postingSlot(schedule: Schedule, now: number): "any" | number | undefined {
  const { timezone, preferred_times, preferred_times_override } = schedule;
  const { day } = localTime(now, timezone);
  const named = preferred_times_override[NAMES[DAYS.indexOf(day)] ?? "Mon"];
  const times = named ?? preferred_times.flatMap((time) => (time === "auto" ? AUTO : [time]));
  if (named === undefined && times.length === 0) return "any";
  const begun = times
    .map((time) => today(Number(time.slice(0, 2)) * 60 + Number(time.slice(3)), now, timezone))
    .filter((at) => at <= now && now < at + SLOT_MS);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

/**
 * When it is so many minutes after midnight today in a time zone. When clocks are set back and this time occurs twice,
 * the first one; when they are set forward and it does not occur, as if they had not been.
 */
function today(minutes: number, now: number, timezone: string): number {
  const localMinutes = (at: number) => {
    const { hour, minute } = localTime(at, timezone);
    return hour * 60 + minute;
  };
  const guess = now - (now % MINUTE_MS) - (localMinutes(now) - minutes) * MINUTE_MS;
  // Corrects for a change of clocks between the two times, which may be at midnight.
  const off = ((minutes - localMinutes(guess) + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const other = guess + off * MINUTE_MS;
  const at = localMinutes(other) === minutes ? other : Math.max(guess, other);
  const before = CHANGES.map((back) => at - back * MINUTE_MS).find((twin) => localMinutes(twin) === minutes);
  return before ?? at;
}

/** Minutes by which clocks are set back: 60, and 30 on Lord Howe Island. */
const CHANGES = [60, 30] as const;
const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const AUTO: readonly string[] = ["09:15", "12:30", "17:00"];
const SLOT_MS = 30 * MINUTE_MS;
