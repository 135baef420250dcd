/** Hours of certain days in a time zone, such as Friday 22:00 to 06:00. */
export interface ScheduleWindow {
  readonly start_hour: number;
  /** Exclusive. If before the start, the window ends the next day; if equal, it lasts a whole day. */
  readonly end_hour: number;
  readonly timezone: string;
  /** Days on which the window begins; empty for all days. */
  readonly days: readonly Day[];
}

export type Day = (typeof DAYS)[number];

export function isWithin(window: ScheduleWindow, now: number): boolean {
  const { hour, day } = localTime(now, window.timezone);
  const { start_hour, end_hour, days } = window;
  const begins = (on: Day) => days.length === 0 || days.includes(on);
  if (start_hour < end_hour) return hour >= start_hour && hour < end_hour && begins(day);
  if (hour >= start_hour) return begins(day);
  // After midnight, the window of the previous day counts.
  return hour < end_hour && begins(dayBefore(day));
}

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

function dayBefore(day: Day): Day {
  return DAYS[(DAYS.indexOf(day) + 6) % 7] ?? day;
}

/** The time of day in a time zone. */
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

/** Cached, because creating a formatter is slow. */
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
