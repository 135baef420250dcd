import { day, second } from "../clock.ts";
import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { badValue } from "../http/problems.ts";
import { iso } from "../json.ts";
import { firstIdAt, sortable } from "../snowflake.ts";

/** Start included, end excluded. */
export interface IdRange {
  readonly from: string | undefined;
  readonly until: string | undefined;
}

export function idRangeOf(input: Input): IdRange | { readonly refusal: Answer } {
  const start = timeOf(input, "start_time");
  const end = timeOf(input, "end_time");
  if (start !== undefined && end !== undefined && start >= end) {
    return {
      refusal: badValue(
        "start_time",
        input.text("start_time"),
        "Invalid 'start_time': must be before 'end_time'.",
      ),
    };
  }
  return {
    from: highest(start === undefined ? undefined : firstIdAt(start), after(input.optionalText("since_id"))),
    until: lowest(end === undefined ? undefined : firstIdAt(end), padded(input.optionalText("until_id"))),
  };
}

/** Seven days; posts are found ten seconds after their creation. */
export function searchRangeOf(
  input: Input,
  now: number,
  reach: "recent" | "all",
): IdRange | { readonly refusal: Answer } {
  const oldest = now - 7 * day;
  const newest = now - searchDelay;
  const end = timeOf(input, "end_time");
  if (end !== undefined && end > newest) {
    const message = "Invalid 'end_time': must be a minimum of 10 seconds prior to the request time.";
    return { refusal: badValue("end_time", input.text("end_time"), message) };
  }
  const start = timeOf(input, "start_time");
  if (reach === "recent" && start !== undefined && start < oldest) {
    const message = `Invalid 'start_time': must be on or after ${iso(oldest)}.`;
    return { refusal: badValue("start_time", input.text("start_time"), message) };
  }
  const range = idRangeOf(input);
  if ("refusal" in range) return range;
  return {
    from: reach === "recent" ? highest(range.from, firstIdAt(oldest)) : range.from,
    until: lowest(range.until, firstIdAt(newest)),
  };
}

const searchDelay = 10 * second;

function timeOf(input: Input, name: string): number | undefined {
  const text = input.optionalText(name);
  return text === undefined ? undefined : Date.parse(text);
}

function padded(id: string | undefined): string | undefined {
  return id === undefined ? undefined : sortable(id);
}

function after(id: string | undefined): string | undefined {
  // One more digit would sort below all others.
  return id === undefined || id === highestId ? id : sortable(String(BigInt(id) + 1n));
}

const highestId = "9".repeat(19);

function highest(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

export function lowest(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
