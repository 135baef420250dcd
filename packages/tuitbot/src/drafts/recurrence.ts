import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Cron } from "croner";
import { DAYS } from "../config/schedule-window.ts";
import { errors } from "../errors.ts";

/** When something recurs: weekdays and a time, or a cron expression, up to an end. */
export interface Recurrence {
  /** `Mon,Thu 09:30`, `weekly on Monday at 09:30`, `09:30` for every day, or a cron expression such as `30 9 1 * *`. */
  readonly repeats: string;
  readonly timezone: string;
  /** The last moment at which it may occur. */
  readonly until: number;
}

/** One approval covers all of them, and a person has to read it. */
export const MAX_OCCURRENCES = 100;

/** Every time after `now`, in order. */
export async function occurrencesOf(
  { repeats, timezone, until }: Recurrence,
  now: number,
): Promise<Outcome<readonly number[], Failure<"invalid_input">>> {
  const read = await readRepeats({ repeats, timezone });
  if (!read.ok) return read;
  const cron = read.value;
  const times: number[] = [];
  for (let at = cron.nextRun(new Date(now)); at !== null && at.getTime() <= until; at = cron.nextRun(at)) {
    if (times.length === MAX_OCCURRENCES)
      return bad(
        `\`until\`: that would be more than ${MAX_OCCURRENCES} posts; choose an earlier end, or fewer times.`,
      );
    times.push(at.getTime());
  }
  return times.length === 0
    ? bad(`\`until\`: ${repeats} does not occur before ${new Date(until).toISOString()}.`)
    : ok(times);
}

/** Reads when something recurs, without its end. */
export async function readRepeats({
  repeats,
  timezone,
}: Pick<Recurrence, "repeats" | "timezone">): Promise<Outcome<Cron, Failure<"invalid_input">>> {
  // Needed by this command alone, so it is not loaded at every start.
  const { Cron } = await import("croner");
  try {
    // Five fields: a post is not planned to the second.
    return ok(new Cron(weekdayPattern(repeats) ?? repeats, { timezone, mode: "5-part", paused: true }));
  } catch {
    return bad(
      `\`repeats\`: ${JSON.stringify(repeats)} is neither weekdays and a time, such as "Mon,Thu 09:30" or "09:30", nor a cron expression of five fields, such as "30 9 1 * *".`,
    );
  }
}

/**
 * The cron expression of weekdays and a time, such as `Mon,Thu 09:30`, `weekly on Monday at 09:30` or `every day at 9:30`;
 * undefined where the text is none.
 */
function weekdayPattern(text: string): string | undefined {
  const [, said = "", hour, minute] = /^([a-z\s,]*?)(\d{1,2}):(\d{2})\s*$/i.exec(text.trim()) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const words = said
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "" && !FILLERS.has(word));
  const days = words.filter((word) => word !== "weekly").map(dayNamed);
  if (days.includes(undefined) || (words.includes("weekly") && days.length === 0)) return undefined;
  return `${Number(minute)} ${Number(hour)} * * ${days.length === 0 ? "*" : days.join(",")}`;
}

/** Words around the days and the time. */
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
