import { DAY_MS } from "@toolpact/contract/internal";
import { timeOnDay } from "../../config/schedule-window.ts";
import { minuteIn } from "../daily/daily-session.ts";

/**
 * The ISO time for what a person writes in the time zone of the schedule: `2026-11-22 07:30`, as lists print it,
 * `today 18:00` or `tomorrow 9:00`. Everything else is as it was given.
 */
export function writtenTime(given: string, timezone: string, now: number): string {
  const [, day = "", time = ""] =
    /^(\d{4}-\d\d-\d\d|today|tomorrow)[ T]+(\d{1,2}:\d\d)$/i.exec(given.trim()) ?? [];
  const clock = time.padStart(5, "0");
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(clock)) return given;
  const today = Date.parse(minuteIn(now, timezone).slice(0, 10));
  const named = { today, tomorrow: today + DAY_MS }[day.toLowerCase()] ?? Date.parse(day);
  if (Number.isNaN(named)) return given;
  const date = new Date(named).toISOString().slice(0, 10);
  // Noon UTC falls on the same day, or in the far east on the next one.
  const times = [0, DAY_MS].map((back) => timeOnDay(clock, named + DAY_MS / 2 - back, timezone));
  const at = times.find((one) => minuteIn(one, timezone).startsWith(date));
  return at === undefined ? given : new Date(at).toISOString();
}
