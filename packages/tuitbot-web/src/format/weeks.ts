import { addDays, type WallTime, weekdayOf } from "./zones.ts";

/** The ISO week of a day, such as 2026-W47. */
export function weekOf(day: WallTime): string {
  // The week belongs to the year of its Thursday.
  const thursday = addDays(day, 3 - weekdayOf(day));
  const ordinal =
    (Date.UTC(thursday.year, thursday.month - 1, thursday.day) - Date.UTC(thursday.year, 0, 1)) / 86_400_000;
  return `${thursday.year}-W${String(Math.floor(ordinal / 7) + 1).padStart(2, "0")}`;
}

/** The Monday of an ISO week, or undefined if the text is none. */
export function mondayOf(week: string): WallTime | undefined {
  const [, year, number] = /^(\d{4})-W(\d\d)$/.exec(week) ?? [];
  if (year === undefined) return undefined;
  // The fourth of January is always in the first week.
  const fourth = { year: Number(year), month: 1, day: 4, hour: 0, minute: 0 };
  const monday = addDays(fourth, 7 * (Number(number) - 1) - weekdayOf(fourth));
  return weekOf(monday) === week ? monday : undefined;
}

/** The first day of a month such as 2026-11, or undefined if the text is none. */
export function firstOf(month: string): WallTime | undefined {
  const [, year, number] = /^(\d{4})-(\d\d)$/.exec(month) ?? [];
  if (year === undefined || Number(number) < 1 || Number(number) > 12) return undefined;
  return { year: Number(year), month: Number(number), day: 1, hour: 0, minute: 0 };
}
