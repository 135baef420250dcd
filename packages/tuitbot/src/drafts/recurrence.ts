import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS, MINUTE_MS } from "@toolpact/contract/internal";
import type { Cron } from "croner";
import { DAYS } from "../config/schedule-window.ts";
import { errors } from "../errors.ts";

/** Weekdays and a time, or a cron expression, with an end. */
export interface Recurrence {
  /** `Mon,Thu 09:30`, `weekly on Monday at 09:30`, `09:30`, or cron such as `30 9 1 * *`. */
  readonly repeats: string;
  readonly timezone: string;
  /** Inclusive. */
  readonly until: number;
}

/** A person has to read them all. */
export const MAX_OCCURRENCES = 100;

/** After `now`, in order. */
export async function occurrencesOf(
  { repeats, timezone, until }: Recurrence,
  now: number,
): Promise<Outcome<readonly number[], Failure<"invalid_input">>> {
  const [read, wallClock] = await Promise.all([
    readRepeats({ repeats, timezone }),
    readRepeats({ repeats, timezone: "UTC" }),
  ]);
  if (!read.ok) return read;
  if (!wallClock.ok) return wallClock;
  const cron = read.value;
  const times = lostToMidnight(wallClock.value, timezone, now, until);
  for (let at = cron.nextRun(new Date(now)); at !== null && at.getTime() <= until; at = cron.nextRun(at)) {
    if (times.length === MAX_OCCURRENCES)
      return bad(
        `\`until\`: that would be more than ${MAX_OCCURRENCES} posts; choose an earlier end, or fewer times.`,
      );
    if (!times.includes(at.getTime())) times.push(at.getTime());
  }
  times.sort((one, other) => one - other);
  return times.length === 0
    ? bad(`\`until\`: ${repeats} does not occur before ${new Date(until).toISOString()}.`)
    : ok(times);
}

/**
 * On days whose only times are skipped up to midnight, as in Nuuk. The library moves other skipped times, but
 * drops these.
 */
function lostToMidnight(wallClock: Cron, timezone: string, now: number, until: number): number[] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const wallAt = (at: number) => Date.parse(`${format.format(at).replace(" ", "T")}Z`);
  const offsetAt = (at: number) => wallAt(at) - at;
  const found: number[] = [];
  const from = now - (now % MINUTE_MS);
  for (let day = from; day <= until; day += DAY_MS) {
    if (offsetAt(day + DAY_MS) <= offsetAt(day)) continue;
    let [before, after] = [day, day + DAY_MS];
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / MINUTE_MS / 2) * MINUTE_MS;
      if (offsetAt(middle) > offsetAt(day)) after = middle;
      else before = middle;
    }
    const skipped = after + offsetAt(day);
    const midnight = skipped - (skipped % DAY_MS) + DAY_MS;
    const first = wallClock.nextRun(new Date(midnight - DAY_MS - 1))?.getTime() ?? midnight;
    const isLost = wallAt(after) >= midnight && first >= skipped && first < midnight;
    if (isLost && after > now && after <= until) found.push(after);
  }
  return found;
}

/** Without its end. */
export async function readRepeats({
  repeats,
  timezone,
}: Pick<Recurrence, "repeats" | "timezone">): Promise<Outcome<Cron, Failure<"invalid_input">>> {
  // Only this command needs it.
  const { Cron } = await import("croner");
  try {
    // Five fields, without seconds.
    return ok(new Cron(weekdayPattern(repeats) ?? repeats, { timezone, mode: "5-part", paused: true }));
  } catch {
    return bad(
      `\`repeats\`: ${JSON.stringify(repeats)} is neither weekdays and a time, such as "Mon,Thu 09:30" or "09:30", nor a cron expression of five fields, such as "30 9 1 * *".`,
    );
  }
}

/** `Mon,Thu 09:30`, `weekly on Monday at 09:30` or `every day at 9:30` as cron. */
function weekdayPattern(text: string): string | undefined {
  const [, said = "", hour, minute = "0", half] =
    /^([a-z\s,]*?)(\d{1,2})(?::(\d{2}))?\s*([ap]m)?$/i.exec(text.trim()) ?? [];
  const at = hourOf(Number(hour), half);
  if (at === undefined || (half === undefined && !text.includes(":"))) return undefined;
  const words = said
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "" && !FILLERS.has(word));
  const days = words.filter((word) => word !== "weekly").map(dayNamed);
  if (days.includes(undefined) || (words.includes("weekly") && days.length === 0)) return undefined;
  return `${Number(minute)} ${at} * * ${days.length === 0 ? "*" : days.join(",")}`;
}

/** "9 pm" is 21, and there is no 13 pm. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return Number.isNaN(hour) ? undefined : hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
}

const FILLERS = new Set(["every", "each", "day", "daily", "on", "at", "and"]);

function dayNamed(word: string): string | undefined {
  const short = word.slice(0, 3);
  const isDay = DAYS.some((day) => day === short) && (word === short || FULL_NAMES.test(word));
  return isDay ? short : undefined;
}

const FULL_NAMES = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;

function bad(message: string) {
  return errors.fail("invalid_input", message, { fixBy: "agent" });
}
