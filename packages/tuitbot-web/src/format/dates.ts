import { locale } from "./locale.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The zone of the schedule: every time on the page is in it, unless another one is named. Unset before the sign-in. */
let scheduleZone: string | undefined;

export function showTimesIn(zone: string): void {
  scheduleZone = zone;
}

const long = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

/** Relative up to a day, then absolute with the zone. */
export function when(iso: string, now: number, zone?: string): string {
  const at = Date.parse(iso);
  const ms = at - now;
  if (Math.abs(ms) >= DAY_MS) return dateTime(iso, zone);
  if (Math.abs(ms) < MINUTE_MS) return long.format(0, "second");
  if (Math.abs(ms) < HOUR_MS) return long.format(Math.trunc(ms / MINUTE_MS), "minute");
  return long.format(Math.trunc(ms / HOUR_MS), "hour");
}

/** When something was that is over. Clocks differ a little, and nothing that is over was in the future. */
export function since(iso: string, now: number, zone?: string): string {
  return when(Date.parse(iso) > now ? new Date(now).toISOString() : iso, now, zone);
}

/** How long ago, as short as it can be said: for lists. */
export function age(iso: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(iso));
  if (ms < MINUTE_MS) return long.format(0, "second");
  const unit = ms < HOUR_MS ? "minute" : ms < DAY_MS ? "hour" : "day";
  const size = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }[unit];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" }).format(
    Math.floor(ms / size),
  );
}

export function dateTime(iso: string, zone = scheduleZone): string {
  return new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
    ...(zone !== undefined && { timeZone: zone }),
  }).format(new Date(iso));
}

export function clockTime(ms: number, zone: string): string {
  return new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: zone }).format(ms);
}

/** A whole hour, in the same format as other times of day. */
export function hourOfDay(hour: number): string {
  return clockTime(hour * HOUR_MS, "UTC");
}

/** A day such as 2026-11-17, which has no zone. */
export function day(date: string, style: "short" | "weekday" | "long" = "short"): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: "UTC",
    day: "numeric",
    month: style === "long" ? "long" : "short",
    ...(style !== "short" && { weekday: style === "long" ? "long" : "short" }),
  }).format(new Date(`${date}T00:00:00Z`));
}

/** Names of the days of a week, Monday first. */
export function weekdays(style: "short" | "long"): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: "UTC" });
  // The first of January 2024 was a Monday.
  return Array.from({ length: 7 }, (_, index) => format.format(Date.UTC(2024, 0, 1 + index)));
}
