import type { Failure, Json, JsonObject } from "@toolpact/contract";
import * as z from "zod";
import type { ApprovalStatus } from "../../storage/tables/approval-tables.ts";
import { listIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { cleaned, cleanText } from "../../x/untrusted.ts";
import type { Schedule } from "./ask-for-approval.ts";

/** As agents see it. */
export interface DecidedItem {
  readonly status: ApprovalStatus;
  readonly args: JsonObject;
  readonly schedule: Schedule | undefined;
  readonly result: Json | undefined;
  readonly error: Failure | undefined;
  readonly note: string | undefined;
  readonly decidedBy: string | undefined;
}

const STATUSES = ["executed", "scheduled", "failed", "rejected", "withdrawn", "expired"] as const;
type DecisionStatus = (typeof STATUSES)[number];

/** In `meta.decisions` and `list_pending_approvals.decided`. */
export const decisionShape = {
  status: z
    .enum(STATUSES)
    .describe("scheduled: approved, and goes out at its time; withdrawn: canceled and unsent"),
  params: z.looseObject({}).describe("The call as it was decided, with edits; long texts are cut"),
  scheduled_for: z.string().optional(),
  result: z
    .object({ id: z.string(), url: z.string().optional(), ids: z.array(z.string()).optional() })
    .optional()
    .describe("What was made: its id and address, and all ids of a thread"),
  error: z.string().optional(),
  person_says: z.string().optional().describe("Why the person rejected it"),
};

export function decisionView({ status, args, schedule, result, error, note, decidedBy }: DecidedItem) {
  const made = madeBy(result);
  const isWithdrawn = status === "expired" && decidedBy !== undefined;
  return {
    status: isWithdrawn ? ("withdrawn" as const) : decisionStatus({ status, schedule, result }),
    // Cleaning an object gives an object.
    params: cleaned(shortened(args)) as JsonObject,
    ...(schedule !== undefined && { scheduled_for: schedule.at }),
    ...(made !== undefined && { result: made }),
    ...(error !== undefined && { error: error.message }),
    ...(note !== undefined && !isWithdrawn && { person_says: cleanText(note) }),
  };
}

/** A series is approved as a whole, but each post has its own item. */
export function decisionStatus({
  status,
  schedule,
  result,
}: Pick<DecidedItem, "status" | "schedule" | "result">): DecisionStatus {
  if (status === "approved" || (status === "executed" && schedule?.series !== undefined)) return "scheduled";
  // A scheduled draft replaced it.
  if (status === "rejected" && result !== undefined) return "scheduled";
  // Only decided items are shown.
  return status === "pending" || status === "releasing" ? "executed" : status;
}

/** Undefined if the call made nothing with an id. */
function madeBy(result: Json | undefined) {
  const answer = objectIn(result);
  const ids = listIn(answer, "thread_tweet_ids").filter((id) => typeof id === "string");
  const id = textIn(answer, "id") ?? ids[0];
  if (id === undefined) return undefined;
  const url = textIn(answer, "url") ?? (ids.length > 0 ? `https://x.com/i/web/status/${id}` : undefined);
  return { id, ...(url !== undefined && { url }), ...(ids.length > 0 && { ids }) };
}

const MAX_SHOWN = 140;

/** Enough to recognize the call. */
function shortened(value: Json | undefined): Json {
  if (typeof value === "string") return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}
