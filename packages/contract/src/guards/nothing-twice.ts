import { randomUUID } from "node:crypto";
import { failed, ok } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { Failure } from "../errors.ts";
import type { Json } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import type { Journal } from "./journal.ts";
import { type CallNeeds, tooMuch } from "./no-more-than.ts";
import { type ApprovedCall, toolOf } from "./person-decides.ts";
import type { Receipt } from "./receipt.ts";
import type { HeldReceipt, ReceiptAttempt } from "./receipt-storage.ts";
import { PLAIN_RULES, type RecordedRequests, resolverFor } from "./recorded-requests.ts";
import type { ClaimRefusal, RepeatRefusal } from "./refusals.ts";
import { type ReceiptRun, rebuildAnswer, runWithReceipt, UNSTORED_WARNING } from "./run-with-receipt.ts";
import { LEASE_MS, renewing } from "./send-once.ts";
import type { RequestRules } from "./step.ts";
import type { GuardStorage, Needs } from "./storage.ts";

export interface NothingTwiceOptions extends RecordedRequests {
  /** The product's code for a call that runs already, whose outcome is in doubt, or that is over a limit. */
  readonly code: string;
  /** The argument by which a caller names a call; `idempotency_key` unless given. */
  readonly keyArgument?: string;
  /** For so long an equal call without a key gets the first answer; none unless given. */
  readonly sameCallMs?: number;
  /** Codes of the tool's own failures after which it is not known whether it was done. */
  readonly doubtful?: readonly string[];
}

/** Where the requests of a call are recorded before they are sent; undefined for a call of which none are. */
export interface JournaledCall {
  readonly journal?: Pick<Journal, "beforeSend"> | undefined;
}

const NO_NEEDS: Needs = { costMicros: 0, caps: {}, limits: [] };
const LATE_EFFECT_MS = 300_000;

/**
 * "Nothing twice": a row is stored before a call that changes something runs, with what `noMoreThan` says it takes. A call
 * that ends without an outcome (its process was killed, or the tool failed with a doubtful code) stays in doubt and does not
 * run again before reading back, or a person, has settled it. The same key, or an answer that nobody has got, is answered
 * from the row.
 *
 * ```ts
 * const stack = product
 *   .guardStack("writes")
 *   .use(noMoreThan({ price: () => 0.01, usdPerDay: 5 }))
 *   .use(personDecides({ code: "denied" }))
 *   .use(nothingTwice({ code: "denied" }))
 *   .answering(successEnvelope(errors));
 * ```
 */
export function nothingTwice(options: NothingTwiceOptions) {
  return guard<{
    dependencies: { clock: Clock; guardStorage: GuardStorage };
    requires: Partial<CallNeeds> & ApprovedCall;
    adds: JournaledCall;
  }>({
    name: "nothing twice",
    ordered: "nothingTwice",
    codes: () => [options.code],
    async run(call, next, { clock, guardStorage }) {
      // An approval is for one call, also where it changes nothing.
      if (!EFFECTS[call.effect].mutates && call.context.approvedItem === undefined) return next();
      const expectedSteps = options.requests?.(call) ?? 0;
      const guarded = guardedCall(call, options, expectedSteps, clock, guardStorage);
      const run = async (journal: Journal, receipt: ReceiptAttempt) => {
        const stopRenewing = renewing(guardStorage, clock, receipt);
        try {
          return await (expectedSteps > 0 ? next({ context: { journal } }) : next());
        } finally {
          stopRenewing();
        }
      };
      const delivered = async (outcome: AnyOutcome, id: string) => {
        if (outcome.ok === true && !call.signal.aborted) await guardStorage.delivered(id);
        return outcome;
      };
      const refused = (why: RepeatRefusal<Receipt> | ClaimRefusal) =>
        answerTo(why, options.code, toolOf(call), clock.now());
      const result = await runWithReceipt(guarded, run);
      switch (result.kind) {
        case "ran":
          if (!result.isStored) call.warn(UNSTORED_WARNING);
          return delivered(result.outcome, result.receipt.id);
        case "done_before": {
          const { receipt } = result;
          // Stored from a value of this tool.
          if (receipt.result !== undefined)
            return delivered(ok(JSON.parse(receipt.result) as Json), receipt.id);
          return receipt.expectedSteps > 0 && receipt.settledBy === undefined
            ? delivered(await rebuildAnswer(guarded, receipt, run), receipt.id)
            : refused({ kind: "answer_lost", receipt });
        }
        case "refused":
          return refused(result.refusal);
        case "storage_trouble":
          throw result.error;
      }
    },
  });
}

type GivenCall = Call<unknown, unknown, never, Partial<CallNeeds> & ApprovedCall>;

function guardedCall(
  call: GivenCall,
  options: NothingTwiceOptions,
  expectedSteps: number,
  clock: Clock,
  storage: GuardStorage,
): ReceiptRun<Receipt, ClaimRefusal> {
  const { keyArgument = "idempotency_key", sameCallMs = 0, doubtful = [] } = options;
  const { readBack, lateEffectMs = LATE_EFFECT_MS } = options;
  const { needs = NO_NEEDS, approvedItem } = call.context;
  const key = call.input[keyArgument];
  const rules: RequestRules = { ...PLAIN_RULES, ...options.rules };
  const settling = resolverFor(options, clock, storage, call.signal);
  const { time } = settling;
  /**
   * What was somebody else's is not this caller's to get or to do: an approval of theirs may have released it. Of this call
   * itself nothing is known yet but what reading back would show.
   */
  const canSettle = (receipt: Receipt | HeldReceipt) =>
    "principal" in receipt
      ? receipt.expectedSteps > 0 && receipt.principal === (call.caller.principal ?? "")
      : expectedSteps > 0 && readBack !== undefined;
  return {
    storage,
    claim: () =>
      storage.claim({
        receiptId: randomUUID(),
        tool: toolOf(call),
        args: call.input,
        key: typeof key === "string" ? key : undefined,
        principal: call.caller.principal,
        itemId: approvedItem,
        expectedSteps,
        needs,
        sameCallMs,
        leaseMs: LEASE_MS,
        now: time.now(),
      }),
    finish: ({ isOpen = false, ...ending }) =>
      storage.finish({
        ...ending,
        isOpen: isOpen || (ending.failure !== undefined && doubtful.includes(ending.failure.code)),
      }),
    requests: { rules, isSequence: expectedSteps > 1, leaseMs: LEASE_MS, lateEffectMs, time },
    resolverFor: (receipt) => (canSettle(receipt) ? settling : undefined),
  };
}

function answerTo(
  why: RepeatRefusal<Receipt> | ClaimRefusal,
  code: string,
  tool: string,
  now: number,
): AnyOutcome {
  const refused = (reason: string, message: string, more: Partial<Failure> = {}) =>
    failed<Failure>({ code, reason, message, ...more });
  const about = (receipt: { readonly id: string }) => ({ details: { receipt_id: receipt.id } });
  switch (why.kind) {
    case "item_used":
    case "limit":
    case "budget":
      return refusedBy(why, code);
    case "running":
      return refused("running", "The same call is being carried out.", about(why.receipt));
    case "just_done":
      return refused("just_done", "The same call was carried out moments ago.", about(why.receipt));
    case "key_reused":
      return refused("key_reused", "This key belongs to a call with other arguments.", about(why.receipt));
    case "in_doubt": {
      const { why: seen, retryAt } = why.resolved ?? {};
      const message = `It is not known whether ${tool} was carried out.${seen === undefined ? "" : ` ${seen}`}`;
      return retryAt === undefined
        ? refused("in_doubt", `${message} It is not done again before a person has settled it.`, {
            fixBy: "human",
            ...about(why.receipt),
          })
        : refused("in_doubt", `${message} Nothing was sent.`, {
            suggestedFix: "Make the same call again after retry_after_ms.",
            fixBy: "agent",
            retryAfterMs: Math.max(1_000, retryAt - now),
            ...about(why.receipt),
          });
    }
    case "answer_lost":
      return refused(
        "settled_by_person",
        "This call was carried out before and its answer was lost, as a person has found. It was not done again.",
        about(why.receipt),
      );
    case "continued_elsewhere":
      return refused("continued_elsewhere", "Another call has continued this one. Nothing was sent.", {
        details: { receipt_id: why.receipt.id, continued_by: why.by },
      });
    case "taken_over":
      return refused("taken_over", "Another call has taken over this one. Nothing was sent.", {
        suggestedFix: "Make the same call again: it gets the answer of the other, or is carried out.",
        fixBy: "agent",
        ...about(why.receipt),
      });
  }
}

function refusedBy(why: ClaimRefusal, code: string): AnyOutcome {
  if (why.kind !== "item_used") return failed(tooMuch(code, why));
  const message = "The approval of this call was used or has expired. Nothing was done.";
  return failed({ code, reason: "item_used", message });
}
