import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { DAYS } from "../config/schedule-window.ts";
import { errors } from "../errors.ts";

/** When something recurs: weekdays and a time, or a cron expression, up to an end. */
export interface Recurrence {
  /** `Mon,Thu 09:30`, `09:30` for every day, or a cron expression such as `30 9 1 * *`. */
  readonly repeats: string;
  readonly timezone: string;
  /** The last moment at which it may occur. */
  readonly until: number;
}

/** One approval covers all of them, and a person has to read it. */
export const MOST_OCCURRENCES = 100;

/** Every time after `now`, in order. */
export async function occurrencesOf(
  { repeats, timezone, until }: Recurrence,
  now: number,
): Promise<Outcome<readonly number[], Failure<"invalid_input">>> {
  const pattern = weekdayPattern(repeats) ?? repeats;
  // Needed by this command alone, so it is not loaded at every start.
  const { Cron } = await import("croner");
  let cron: InstanceType<typeof Cron>;
  try {
    // Five fields: a post is not planned to the second.
    cron = new Cron(pattern, { timezone, mode: "5-part", paused: true });
  } catch {
    return bad(
      `\`repeats\`: ${JSON.stringify(repeats)} is neither weekdays and a time, such as "Mon,Thu 09:30" or "09:30", nor a cron expression of five fields, such as "30 9 1 * *".`,
    );
  }
  const times: number[] = [];
  for (let at = cron.nextRun(new Date(now)); at !== null && at.getTime() <= until; at = cron.nextRun(at)) {
    if (times.length === MOST_OCCURRENCES)
      return bad(
        `\`until\`: that would be more than ${MOST_OCCURRENCES} posts; choose an earlier end, or fewer times.`,
      );
    times.push(at.getTime());
  }
  return times.length === 0
    ? bad(`\`until\`: ${repeats} does not occur before ${new Date(until).toISOString()}.`)
    : ok(times);
}

/** The cron expression of weekdays and a time; undefined where the text is none. */
function weekdayPattern(text: string): string | undefined {
  const [, names = "", hour, minute] =
    /^\s*(?:((?:[a-z]{3}\s*,?\s*)*[a-z]{3})\s+)?(\d{1,2}):(\d{2})\s*$/i.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const days = names
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  if (!days.every((name) => DAYS.some((day) => day === name))) return undefined;
  return `${Number(minute)} ${Number(hour)} * * ${days.length === 0 ? "*" : days.join(",")}`;
}

function bad(message: string) {
  return errors.fail("invalid_input", message, { fixBy: "agent" });
}
