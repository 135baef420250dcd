import { type Failed, type Failure, failed, type Json, type JsonObject } from "@toolpact/contract";
import { describeRefusal, type RefusalReason, type RepeatRefusal } from "@toolpact/contract/internal/guards";
import type { ErrorCode } from "../../errors.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";

type Refusal = RepeatRefusal<ReceiptRow>;

/** Answers a mutation that is not carried out, or not again, with the engine's advice in this product's words. */
export function repeatRefusal(refusal: Refusal, now: number): Failed<Failure> {
  const { receipt } = refusal;
  const about = {
    tool: "tool" in receipt ? receipt.tool : "mutation",
    doneMs: "created_at" in receipt ? now - receipt.created_at : 0,
    why: (refusal.kind === "in_doubt" ? refusal.resolved?.why : undefined) ?? "",
  };
  const { fixBy = "agent", reason, ...advice } = describeRefusal(refusal, { tool: about.tool, now });
  // After 30 seconds the same call gets its first answer.
  const retryAfterMs = refusal.kind === "just_done" ? refusal.until - now : advice.retryAfterMs;
  const { message, ...words } = WORDS[reason] ?? CHECKING_OUTCOME;
  return failed({
    ...words,
    message: message(about),
    fixBy,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    details: {
      receipt: shownReceipt(refusal),
      ...(refusal.kind === "continued_elsewhere" && { continued_by: refusal.by }),
    },
  });
}

interface RefusalWords extends Pick<Failure, "reason" | "suggestedFix"> {
  readonly code: ErrorCode;
  readonly message: (about: {
    readonly tool: string;
    readonly doneMs: number;
    readonly why: string;
  }) => string;
}

const DUPLICATE = { code: "validation_error", reason: "duplicate_request" } as const;

const WORDS: Readonly<Partial<Record<RefusalReason, RefusalWords>>> = {
  running: {
    ...DUPLICATE,
    message: ({ tool }) => `The same ${tool} call is being carried out.`,
    suggestedFix: "Do not repeat it: its result is there when the same call is made after retry_after_ms.",
  },
  just_done: {
    ...DUPLICATE,
    message: ({ tool, doneMs }) =>
      `The same ${tool} call was carried out ${Math.max(0, Math.round(doneMs / 1_000))} s ago.`,
    suggestedFix:
      "It is done: take the result from details.receipt. To do it again on purpose, give another idempotency_key.",
  },
  continued_elsewhere: {
    ...DUPLICATE,
    message: () => "Another call has continued this thread. Nothing was sent.",
    suggestedFix: "Call get_mutation_detail with details.continued_by as correlation_id to see how it ended.",
  },
  taken_over: {
    ...DUPLICATE,
    message: () => "Another call has taken over the receipt of this one. Nothing was sent.",
    suggestedFix: "Make the same call again: it gets the result of the other, or is carried out.",
  },
  key_reused: {
    code: "validation_error",
    reason: "idempotency_key_reused",
    message: ({ tool }) => `This idempotency_key belongs to a ${tool} call with other arguments.`,
    suggestedFix: "Use a new key for each new call.",
  },
  unknown_outcome: {
    code: "validation_error",
    reason: "outcome_unknown",
    message: ({ tool, why }) =>
      `The same ${tool} call got no answer before, and may have been carried out. ${why}`,
    suggestedFix:
      "Look at X whether it was carried out. If it was not, call again with another idempotency_key.",
  },
};

/** The next call asks X again before it sends anything. */
const CHECKING_OUTCOME: RefusalWords = {
  code: "x_network_error",
  message: ({ tool, why }) =>
    `The same ${tool} call got no answer before, and may have been carried out. ${why} Nothing was sent.`,
  suggestedFix: "Call again after retry_after_ms: X is asked again before anything is sent.",
};

/** Returns the answer that the call got the first time, unless it is lost. */
export function firstAnswer({ result_json }: Pick<ReceiptRow, "result_json">): Json | undefined {
  return result_json === null ? undefined : (JSON.parse(result_json) as Json);
}

function shownReceipt({ kind, receipt }: Refusal): JsonObject {
  // A call that was overtaken has sent nothing itself.
  if (!("state" in receipt)) return { id: receipt.id, state: "failed" };
  return {
    id: receipt.id,
    state: kind === "in_doubt" ? "unknown" : receipt.state,
    created_at: new Date(receipt.created_at).toISOString(),
    ...(receipt.result_json !== null && { result: JSON.parse(receipt.result_json) as Json }),
  };
}
