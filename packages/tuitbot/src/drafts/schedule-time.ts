import { type Failure, type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";

/** For clocks that differ and people who take a moment. */
const GRACE_MS = 5 * 60_000;
const MAX_AHEAD_MS = 366 * 24 * 3_600_000;

/** Parses an ISO 8601 time with a time zone. */
export function readScheduleTime(text: string, now: number): Outcome<number, Failure<"invalid_input">> {
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    return bad(`${JSON.stringify(text)} is not a time with a zone, such as 2026-09-01T09:30:00+02:00 or …Z.`);
  const at = Date.parse(text);
  if (at < now - GRACE_MS) return bad(`${text} is in the past; it is now ${new Date(now).toISOString()}.`);
  if (at > now + MAX_AHEAD_MS) return bad(`${text} is more than a year away.`);
  return ok(Math.max(at, now));
}

function bad(message: string) {
  return errors.fail("invalid_input", `\`scheduled_for\`: ${message}`, { fixBy: "agent" });
}
