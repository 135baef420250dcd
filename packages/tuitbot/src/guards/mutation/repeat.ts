import {
  type AnyOutcome,
  type Failed,
  type Failure,
  failed,
  type Json,
  type JsonObject,
  ok,
  type Tool,
} from "@toolpact/contract";
import {
  blockedFailure,
  describeRefusal,
  type RefusalReason,
  type RepeatRefusal,
  type Resolver,
  resolveEarlier,
} from "@toolpact/contract/internal/guards";
import type { ErrorCode } from "../../errors.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { XBill } from "../budget/bill.ts";
import { type Account, type PlannedMutation, takesKey } from "../call/call-context.ts";
import type { MutationCall } from "../call/mutation.ts";
import { earlierReceipt, IDEMPOTENCY_KEY, OWN_KEY } from "../receipts/receipt.ts";

export interface ResolverDependencies {
  /** Its reads go on the bill, if there is one. */
  readonly resolverFor: (account: Account, signal: AbortSignal, bill?: XBill) => Resolver;
}

export function repeatCodes(tool: Pick<Tool, "effects">): readonly ErrorCode[] {
  return [...(takesKey(tool) ? (["validation_error"] as const) : []), "x_network_error", ...BLOCKED_CODES];
}

/** X cannot be asked before somebody acts. */
const BLOCKED_CODES = ["x_auth_expired", "x_forbidden", "x_account_restricted", "x_not_configured"] as const;

/**
 * Rejected within 30 seconds; later, it gets the first answer for the tool's period. Unknown outcomes are
 * resolved first. Repeats are free.
 */
export async function checkRepeat(
  call: MutationCall,
  { identity, mutation, release, record }: PlannedMutation,
  { resolverFor }: ResolverDependencies,
): Promise<
  | { readonly kind: "new" }
  /** Its answer is lost. */
  | { readonly kind: "done"; readonly receipt: ReceiptRow }
  | { readonly kind: "answered"; readonly outcome: AnyOutcome }
> {
  const { account, isOwnCall } = call.context;
  if (identity.hasOwnKey && isOwnCall !== true) return { kind: "answered", outcome: ownKey() };
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const approvalId = release?.approvalId;
  const found = await account.receipts.find({ claim: hasClaim ? identity.claim : undefined, approvalId });
  if (found === undefined) return { kind: "new" };
  const resolver = resolverFor(account, call.signal);
  const now = resolver.time.now();
  const earlier = earlierReceipt(found, identity, now, approvalId);
  if (earlier === undefined) return { kind: "new" };
  if (earlier.kind !== "key_reused") record.receiptId = found.id;
  const result = await resolveEarlier(
    { storage: account.receipts, resolverFor: () => resolver },
    // A second approval gets the result.
    earlier.kind === "just_done" && approvalId !== undefined ? { kind: "done", receipt: found } : earlier,
  );
  switch (result.kind) {
    case "refused":
      return { kind: "answered", outcome: await refuseRepeat(account, result.refusal, now) };
    case "done_before": {
      const { receipt } = result;
      call.annotate({ replayed: true, receipt_id: receipt.id });
      const stored = firstAnswer(receipt);
      return stored === undefined ? { kind: "done", receipt } : { kind: "answered", outcome: ok(stored) };
    }
    case "proceed":
      record.receiptId = undefined;
      return { kind: "new" };
  }
}

function ownKey(): Failed<Failure> {
  return failed({
    code: "invalid_input",
    message: `\`${IDEMPOTENCY_KEY}\`: keys that begin with ${OWN_KEY} are the product's own. Nothing was sent.`,
    suggestedFix: "Give another key.",
    fixBy: "agent",
  });
}

type Refusal = RepeatRefusal<ReceiptRow>;

/** A caller who is asked to repeat the call gets its answer then. */
export async function refuseRepeat(
  { receipts }: Pick<Account, "receipts">,
  refusal: Refusal,
  now: number,
): Promise<Failed<Failure>> {
  if (refusal.kind === "running") await receipts.keepAnswer(refusal.receipt.id, now);
  return repeatRefusal(refusal, now);
}

/** In this product's words. */
export function repeatRefusal(refusal: Refusal, now: number): Failed<Failure> {
  const { receipt } = refusal;
  const about = {
    tool: "tool" in receipt ? receipt.tool : "mutation",
    doneMs: "created_at" in receipt ? now - receipt.created_at : 0,
    why: (refusal.kind === "in_doubt" ? refusal.resolved?.why : undefined) ?? "",
  };
  const { fixBy = "agent", reason, retryAfterMs } = describeRefusal(refusal, { tool: about.tool, now });
  const { message, ...words } = WORDS[reason] ?? CHECKING_OUTCOME;
  const blockedBy = refusal.kind === "in_doubt" ? refusal.resolved?.blockedBy : undefined;
  if (blockedBy !== undefined)
    return failed({
      ...blockedFailure(blockedBy, message({ ...about, why: "" }), "X"),
      details: { ...blockedBy.details, receipt: shownReceipt(refusal) },
    });
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

/** For calls that may be repeated once X has answered. */
export const CHECKING_CODE = "x_network_error";
const UNDER_WAY = { code: CHECKING_CODE, reason: "duplicate_request" } as const;

const WORDS: Readonly<Partial<Record<RefusalReason, RefusalWords>>> = {
  running: {
    ...UNDER_WAY,
    message: ({ tool }) => `The same ${tool} call is being carried out, and X has not answered yet.`,
    suggestedFix:
      "Make the same call again after retry_after_ms: it returns the result, and sends nothing twice.",
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
    ...UNDER_WAY,
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

/** The next call asks X before it sends anything. */
const CHECKING_OUTCOME: RefusalWords = {
  code: CHECKING_CODE,
  message: ({ tool, why }) =>
    `The same ${tool} call got no answer before, and may have been carried out. ${why} Nothing was sent.`,
  suggestedFix: "Call again after retry_after_ms: X is asked again before anything is sent.",
};

/** Undefined if it is lost. */
export function firstAnswer({ result_json }: Pick<ReceiptRow, "result_json">): Json | undefined {
  return result_json === null ? undefined : (JSON.parse(result_json) as Json);
}

function shownReceipt({ kind, receipt }: Refusal): JsonObject {
  // Another call overtook it, so it sent nothing.
  if (!("state" in receipt)) return { id: receipt.id, state: "failed" };
  return {
    id: receipt.id,
    state: kind === "in_doubt" ? "unknown" : receipt.state,
    created_at: new Date(receipt.created_at).toISOString(),
    ...(receipt.result_json !== null && { result: JSON.parse(receipt.result_json) as Json }),
  };
}
