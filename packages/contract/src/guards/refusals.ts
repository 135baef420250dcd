import type { Failure } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { type ItemPeople, peopleLine } from "./approval-item.ts";
import type { Limit, OverBudget } from "./caps.ts";
import { formatUsd } from "./money.ts";
import type { HeldReceipt, ReceiptAttempt } from "./receipt.ts";
import { CHECK_YOURSELF, type Resolved } from "./resolve.ts";

/** `R` is the product's receipt. */
export type Refusal<R = ReceiptAttempt> =
  | RepeatRefusal<R>
  | ClaimRefusal
  | {
      readonly kind: "waiting";
      readonly item: ItemPeople & { readonly id: number; readonly expiresAt: number };
    }
  | { readonly kind: "rejected"; readonly item: { readonly id: number; readonly note: string | undefined } }
  /** Nobody decided in time. */
  | { readonly kind: "expired"; readonly item: { readonly id: number } }
  | { readonly kind: "inbox_full" }
  /** The operator has stopped calls like this one. */
  | { readonly kind: "stopped"; readonly why: string };

export type RepeatRefusal<R> =
  /** Here or in another process, until this time if known. */
  | { readonly kind: "running"; readonly receipt: R; readonly until?: number }
  | { readonly kind: "just_done"; readonly receipt: R; readonly until: number }
  | { readonly kind: "key_reused"; readonly receipt: R }
  /** `resolved` is the result of reading back, if possible. */
  | { readonly kind: "in_doubt"; readonly receipt: R; readonly resolved: Resolved | undefined }
  | { readonly kind: "answer_lost"; readonly receipt: R }
  | { readonly kind: "continued_elsewhere"; readonly receipt: R | HeldReceipt; readonly by: string }
  /** It waited so long that another call resolved its receipt. */
  | { readonly kind: "taken_over"; readonly receipt: HeldReceipt };

export type ClaimRefusal =
  /** The approval was used, has expired, or was never given. */
  | { readonly kind: "item_used" }
  /** The state has changed since the approver saw it. */
  | { readonly kind: "changed_since_approval"; readonly item: { readonly id: number } }
  | { readonly kind: "limit"; readonly limit: RateLimit; readonly resetsAt: number }
  | ({ readonly kind: "budget" } & OverBudget);

/** A maximum number of calls per period. */
export interface RateLimit extends Limit {
  /** Undefined for all. */
  readonly tool?: string | undefined;
  /** Undefined for all. */
  readonly principal?: string | undefined;
}

/** The reason in an answer. `checking_outcome` means that calling again can resolve it. */
export type RefusalReason = Exclude<Refusal["kind"], "in_doubt"> | "checking_outcome" | "unknown_outcome";

export type RefusalRole = (typeof REFUSAL_ROLES)[RefusalReason];

/** The codes of `retry` and `limit` are retryable, the others are not. */
export const REFUSAL_ROLES = {
  running: "retry",
  taken_over: "retry",
  checking_outcome: "retry",
  expired: "retry",
  item_used: "retry",
  changed_since_approval: "retry",
  limit: "limit",
  waiting: "needsApproval",
  inbox_full: "needsApproval",
  rejected: "rejected",
  unknown_outcome: "unknownOutcome",
  just_done: "conflict",
  key_reused: "conflict",
  answer_lost: "conflict",
  continued_elsewhere: "conflict",
  budget: "budget",
  stopped: "stopped",
} as const satisfies Record<RefusalReason, string>;

export interface RefusalAnswer
  extends Pick<Failure, "message" | "suggestedFix" | "fixBy" | "retryAfterMs" | "rateLimitReset"> {
  readonly role: RefusalRole;
  readonly reason: RefusalReason;
  readonly details: JsonObject;
}

/**
 * Describes a refusal. The advice matches its role: `retryAfterMs` is set only for `retry` and `limit`.
 *
 * ```ts
 * const { role, message } = describeRefusal({ kind: "inbox_full" }, { tool: "send", now: Date.now() });
 * ```
 */
export function describeRefusal(
  refusal: Refusal,
  { tool, now }: { readonly tool: string; readonly now: number },
): RefusalAnswer {
  const answer = (reason: RefusalReason, message: string, more: Partial<RefusalAnswer> = {}) => ({
    role: REFUSAL_ROLES[reason],
    reason,
    message,
    details: {
      ...("receipt" in refusal && { receipt_id: refusal.receipt.id }),
      ...("item" in refusal && { item_id: refusal.item.id }),
    },
    ...more,
  });
  const repeat = (suggestedFix: string, at = now) =>
    ({ suggestedFix, fixBy: "agent", retryAfterMs: Math.max(0, Math.ceil(at - now)) }) as const;
  switch (refusal.kind) {
    case "waiting": {
      const people = peopleLine(refusal.item);
      return answer(
        "waiting",
        `${tool} is waiting for approval as item ${refusal.item.id}. Nothing was done yet.${people === undefined ? "" : ` ${people}`}`,
        { suggestedFix: "Make the same call again once it is approved.", fixBy: "human" },
      );
    }
    case "inbox_full":
      return answer("inbox_full", "Too many calls are waiting for approval. Nothing was done.", {
        suggestedFix: "Decide about the waiting calls first.",
        fixBy: "human",
      });
    case "rejected":
      return answer(
        "rejected",
        `This call was rejected${refusal.item.note === undefined ? "" : `: ${refusal.item.note}`}. Nothing was done.`,
        { suggestedFix: "Do not make the same call again.", fixBy: "human" },
      );
    case "expired":
      return answer(
        "expired",
        "Nobody decided about this call in time. Nothing was done.",
        repeat("Make the same call again to request approval."),
      );
    case "item_used":
      return answer(
        "item_used",
        "The approval of this call was used or has expired. Nothing was done.",
        repeat("Make the same call again to request a new approval."),
      );
    case "changed_since_approval":
      return answer(
        "changed_since_approval",
        "The data that this call depends on has changed since it was approved. Nothing was done.",
        repeat("Make the same call again to request approval of the current data."),
      );
    case "stopped":
      return answer("stopped", `${refusal.why} Nothing was done.`, { fixBy: "operator" });
    case "limit": {
      const { max, periodMs, tool: counted } = refusal.limit;
      return answer(
        "limit",
        `At most ${max} calls${counted === undefined ? "" : ` of ${counted}`} are allowed in ${periodMs / 1_000} s. Nothing was done.`,
        {
          ...repeat("Make the same call again after retry_after_ms.", refusal.resetsAt),
          rateLimitReset: new Date(refusal.resetsAt).toISOString(),
        },
      );
    }
    case "budget":
      return answer("budget", `${overBudgetText(refusal)} Nothing was done.`, { fixBy: "operator" });
    case "running":
      return answer(
        "running",
        `The same ${tool} call is running.`,
        repeat(
          "Make the same call again after retry_after_ms to get its result.",
          refusal.until ?? now + 1_000,
        ),
      );
    case "taken_over":
      return answer(
        "taken_over",
        "Another call has taken over this one. Nothing was sent.",
        repeat("Make the same call again: it returns the result of the other call, or is carried out."),
      );
    case "just_done":
      return answer("just_done", `The same ${tool} call was carried out moments ago.`, {
        suggestedFix: "Do not repeat it. To do it again on purpose, use another key.",
        fixBy: "agent",
      });
    case "key_reused":
      return answer("key_reused", "This key belongs to a call with other arguments. Nothing was done.", {
        suggestedFix: "Use a new key for each new call.",
        fixBy: "agent",
      });
    case "in_doubt": {
      const { why, retryAt, blockedBy } = refusal.resolved ?? {};
      const message = `It is unknown whether ${tool} was carried out.${why === undefined ? "" : ` ${why}`} Nothing was sent.`;
      return retryAt === undefined
        ? answer("unknown_outcome", message, {
            suggestedFix: blockedBy?.suggestedFix ?? CHECK_YOURSELF,
            fixBy: blockedBy?.fixBy ?? "human",
          })
        : answer(
            "checking_outcome",
            message,
            repeat(
              "Make the same call again after retry_after_ms: the outcome is checked before anything is sent.",
              Math.max(now + 1_000, retryAt),
            ),
          );
    }
    case "answer_lost":
      return answer(
        "answer_lost",
        `${tool} was carried out before, and its answer is lost. It was not done again.`,
        { suggestedFix: "Do not repeat it. To do it again on purpose, use another key.", fixBy: "agent" },
      );
    case "continued_elsewhere":
      return answer("continued_elsewhere", "Another call has continued this one. Nothing was sent.", {
        details: { receipt_id: refusal.receipt.id, continued_by: refusal.by },
      });
  }
}

function overBudgetText({ cap, capMicros, neededMicros, spentMicros, caller }: OverBudget): string {
  const budget =
    cap === "call" ? "the budget per call" : cap === "day" ? "the daily budget" : "the monthly budget";
  const used = spentMicros === undefined ? "" : `, ${formatUsd(spentMicros)} of it spent or reserved`;
  return `This call costs ${formatUsd(neededMicros)} and would exceed ${budget}${caller === undefined ? "" : " of this caller"} (${formatUsd(capMicros)}${used}).`;
}
