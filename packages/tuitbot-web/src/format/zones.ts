import { DAY_MS } from "./dates.ts";

/** A time on the wall in some zone. Months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** The local time in the zone at an instant. */
export function wallTime(ms: number, zone: string): WallTime {
  const parts = formatOf(zone).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
  };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime) => Date.UTC(year, month - 1, day, hour, minute);

/**
 * The instant at which clocks in the zone show a time. Where they show it twice, the first; where they skip it, the
 * instant as far after the change as the time is after the skipped hour began.
 */
export function instantOf(wall: WallTime, zone: string): number {
  const target = asUtc(wall);
  const offsetAt = (ms: number) => asUtc(wallTime(ms, zone)) - Math.floor(ms / 60_000) * 60_000;
  const before = offsetAt(target - DAY_MS);
  const after = offsetAt(target + DAY_MS);
  const candidates = [target - before, target - after].filter((ms) => asUtc(wallTime(ms, zone)) === target);
  return candidates.length > 0 ? Math.min(...candidates) : target - before;
}

/** The day, so many days later. */
export function addDays({ year, month, day }: WallTime, days: number): WallTime {
  const moved = new Date(Date.UTC(year, month - 1, day + days));
  return {
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
    hour: 0,
    minute: 0,
  };
}

/** Days of a week, as the configuration and the tools name them. */
export const WEEKDAYS: readonly string[] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** 0 for Monday. */
export function weekdayOf({ year, month, day }: WallTime): number {
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

/** A day as 2026-11-17. */
export function isoDay({ year, month, day }: WallTime): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}`;
}
