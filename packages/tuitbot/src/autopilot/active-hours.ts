import { DAYS, type Day, isWithin, localTime } from "../config/schedule-window.ts";
import type { Config } from "../config/schema.ts";

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
 * When the clocks of a zone come to these minutes after midnight today. Where they are put back and come to them
 * twice, the first time; where they are put forward and leave them out, as if they had not been.
 */
function today(minutes: number, now: number, timezone: string): number {
  const shown = (at: number) => {
    const { hour, minute } = localTime(at, timezone);
    return hour * 60 + minute;
  };
  const guess = now - (now % MINUTE_MS) - (shown(now) - minutes) * MINUTE_MS;
  // Off by a change of clocks between the two, which may lie at midnight.
  const off = ((minutes - shown(guess) + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const other = guess + off * MINUTE_MS;
  const at = shown(other) === minutes ? other : Math.max(guess, other);
  const before = CHANGES.map((back) => at - back * MINUTE_MS).find((twin) => shown(twin) === minutes);
  return before ?? at;
}

/** By how many minutes clocks are put back: an hour, and half an hour on Lord Howe Island. */
const CHANGES = [60, 30] as const;
const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const AUTO: readonly string[] = ["09:15", "12:30", "17:00"];
const SLOT_MS = 30 * MINUTE_MS;
