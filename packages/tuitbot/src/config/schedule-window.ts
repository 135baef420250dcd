import { MINUTE_MS } from "@toolpact/contract/internal";

/** Such as Friday 22:00 to 06:00. */
export interface ScheduleWindow {
  readonly start_hour: number;
  /** Exclusive. Before the start it is the next day; equal lasts a whole day. */
  readonly end_hour: number;
  readonly timezone: string;
  /** Days on which it begins; empty for all. */
  readonly days: readonly Day[];
}

export type Day = (typeof DAYS)[number];

export function isWithin(window: ScheduleWindow, now: number): boolean {
  const { hour, day } = localTime(now, window.timezone);
  const { start_hour, end_hour, days } = window;
  const begins = (on: Day) => days.length === 0 || days.includes(on);
  if (start_hour < end_hour) return hour >= start_hour && hour < end_hour && begins(day);
  if (hour >= start_hour) return begins(day);
  // After midnight, the previous day's window counts.
  return hour < end_hour && begins(dayBefore(day));
}

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

function dayBefore(day: Day): Day {
  return DAYS[(DAYS.indexOf(day) + 6) % 7] ?? day;
}

export interface LocalTime {
  readonly hour: number;
  readonly minute: number;
  readonly day: Day;
}

export function localTime(now: number, timeZone: string): LocalTime {
  const parts = formatFor(timeZone).formatToParts(now);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  const weekday = part("weekday").toLowerCase();
  return {
    hour: Number(part("hour")),
    minute: Number(part("minute")),
    day: DAYS.find((day) => weekday.startsWith(day)) ?? "mon",
  };
}

/** On the day of `now`. The first, if the time occurs twice; if it is skipped, as if clocks had not changed. */
export function timeOnDay(time: string, now: number, timezone: string): number {
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const localMinutes = (at: number) => {
    const { hour, minute } = localTime(at, timezone);
    return hour * 60 + minute;
  };
  const guess = now - (now % MINUTE_MS) - (localMinutes(now) - minutes) * MINUTE_MS;
  // For a clock change between the two times.
  const off = ((minutes - localMinutes(guess) + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const other = guess + off * MINUTE_MS;
  const at = localMinutes(other) === minutes ? other : Math.max(guess, other);
  const before = CHANGES.map((back) => at - back * MINUTE_MS).find((twin) => localMinutes(twin) === minutes);
  return before ?? at;
}

/** Minutes back: 60, and 30 on Lord Howe Island. */
const CHANGES = [60, 30] as const;
const DAY_MINUTES = 24 * 60;

/** Creating a formatter is slow. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    weekday: "short",
  });
  formats.set(timeZone, format);
  return format;
}
