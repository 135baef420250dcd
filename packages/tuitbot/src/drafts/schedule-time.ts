import { type Failure, type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";

/** Clocks differ, and people take a moment. */
const GRACE_MS = 5 * 60_000;
const FURTHEST_MS = 366 * 24 * 3_600_000;

/** When something is to go out, from an ISO-8601 time with a zone. */
export function readScheduleTime(text: string, now: number): Outcome<number, Failure<"invalid_input">> {
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    return bad(`${JSON.stringify(text)} is not a time with a zone, such as 2026-09-01T09:30:00+02:00 or …Z.`);
  const at = Date.parse(text);
  if (at < now - GRACE_MS) return bad(`${text} is past; it is ${new Date(now).toISOString()}.`);
  if (at > now + FURTHEST_MS) return bad(`${text} is more than a year away.`);
  return ok(Math.max(at, now));
}

function bad(message: string) {
  return errors.fail("invalid_input", `\`scheduled_for\`: ${message}`, { fixBy: "agent" });
}
