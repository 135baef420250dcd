import { type Failed, type Failure, failed, type Json, type JsonObject } from "@toolpact/contract";
import type { ReceiptAttempt, RepeatRefusal, Resolved } from "@toolpact/contract/guards";
import type { ReceiptRow } from "../../storage/receipt-tables.ts";

type Why = RepeatRefusal<ReceiptRow>;

/** What the caller is told of a mutation that is not carried out, or not again. */
export function answerRepeated(why: Why, now: number): Failed<Failure> {
  switch (why.kind) {
    case "running":
    case "just_done":
      return refusedRepeat(why, now);
    case "key_reused":
      return keyReused(why.receipt);
    case "in_doubt":
      return stillUnknown(why.receipt, why.resolved ?? { state: "unknown" }, now);
    case "answer_lost":
      return stillUnknown(why.receipt, { state: "unknown", retryAt: now }, now);
    case "continued_elsewhere": {
      const { receipt, by } = why;
      return continuedElsewhere("state" in receipt ? formatReceipt(receipt) : unsent(receipt), by);
    }
    case "taken_over":
      return takenOver(why.receipt);
  }
}

/** The same call is running, or was carried out moments ago. */
function refusedRepeat(
  { kind, receipt, until }: Extract<Why, { readonly kind: "running" | "just_done" }>,
  now: number,
): Failed<Failure> {
  const isDone = kind === "just_done";
  return failed({
    code: "validation_error",
    reason: "duplicate_request",
    message: isDone
      ? `The same ${receipt.tool} call was carried out ${seconds(now - receipt.created_at)} ago.`
      : `The same ${receipt.tool} call is being carried out.`,
    suggestedFix: isDone
      ? "It is done: take the result from details.receipt. To do it again on purpose, give another idempotency_key."
      : "Do not repeat it: its result is there when the same call is made after retry_after_ms.",
    fixBy: "agent",
    retryAfterMs: Math.max(0, (until ?? now) - now),
    details: { receipt: formatReceipt(receipt) },
  });
}

/** It is not known yet whether the same call was carried out. */
function stillUnknown(receipt: ReceiptRow, resolved: Resolved, now: number): Failed<Failure> {
  const { why = "", retryAt } = resolved;
  const details = { receipt: formatReceipt({ ...receipt, state: "unknown" }) };
  if (retryAt === undefined) {
    return failed({
      code: "validation_error",
      reason: "outcome_unknown",
      message: `The same ${receipt.tool} call got no answer before, and may have been carried out. ${why}`,
      suggestedFix:
        "Look at X whether it was carried out. If it was not, call again with another idempotency_key.",
      fixBy: "human",
      details,
    });
  }
  return failed({
    code: "x_network_error",
    message: `The same ${receipt.tool} call got no answer before, and may have been carried out. ${why} Nothing was sent.`,
    suggestedFix: "Call again after retry_after_ms: X is asked again before anything is sent.",
    fixBy: "agent",
    retryAfterMs: Math.max(1_000, retryAt - now),
    details,
  });
}

function keyReused(receipt: ReceiptRow): Failed<Failure> {
  return failed({
    code: "validation_error",
    reason: "idempotency_key_reused",
    message: `This idempotency_key belongs to a ${receipt.tool} call with other arguments.`,
    suggestedFix: "Use a new key for each new call.",
    fixBy: "agent",
    details: { receipt: formatReceipt(receipt) },
  });
}

/** Another call has continued the thread that this one left incomplete, or would have resumed. */
function continuedElsewhere(receipt: JsonObject, by: string): Failed<Failure> {
  return failed({
    code: "validation_error",
    reason: "duplicate_request",
    message: "Another call has continued this thread. Nothing was sent.",
    suggestedFix: "Call get_mutation_detail with details.continued_by as correlation_id to see how it ended.",
    fixBy: "agent",
    details: { receipt, continued_by: by },
  });
}

/** The call waited so long that another one settled its receipt. */
function takenOver(receipt: ReceiptAttempt): Failed<Failure> {
  return failed({
    code: "validation_error",
    reason: "duplicate_request",
    message: "Another call has taken over the receipt of this one. Nothing was sent.",
    suggestedFix: "Make the same call again: it gets the result of the other, or is carried out.",
    fixBy: "agent",
    details: { receipt: unsent(receipt) },
  });
}

/** The answer that the call got the first time. */
export function firstAnswer({ result_json }: Pick<ReceiptRow, "result_json">): Json | undefined {
  return result_json === null ? undefined : (JSON.parse(result_json) as Json);
}

function formatReceipt(receipt: ReceiptRow): JsonObject {
  return {
    id: receipt.id,
    state: receipt.state,
    created_at: new Date(receipt.created_at).toISOString(),
    ...(receipt.result_json !== null && { result: JSON.parse(receipt.result_json) as Json }),
  };
}

function unsent({ id }: ReceiptAttempt): JsonObject {
  return { id, state: "failed" };
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1_000))} s`;
}
