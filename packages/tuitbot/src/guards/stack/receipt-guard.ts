import {
  type Clock,
  type Failed,
  type Failure,
  failed,
  type Json,
  type JsonObject,
  redact,
} from "@toolpact/contract";
import {
  type BudgetCaps,
  capsLeft,
  type Finished,
  type GuardedCall,
  type HeldReceipt,
  type Journal,
  type NotDone,
  type ReceiptTime,
  type RequestRules,
  rebuildAnswer,
  type Step,
  sendBehindReceipt,
} from "@toolpact/contract/guards";
import { clientName } from "../../agents/agent.ts";
import type { ReceiptRow } from "../../storage/receipt-tables.ts";
import { callerName } from "../budget/bill.ts";
import {
  type Account,
  type CallContext,
  costOf,
  type GeneralCall,
  type GeneralGuard,
  type PlannedMutation,
  type Rollback,
  takesKey,
} from "../call/call-context.ts";
import { limitReached } from "../policy/limit.ts";
import type { CallEnd, Ending, Refusal } from "../receipts/receipt-storage.ts";
import { answerRepeated, firstAnswer } from "../repeat/repeat-answers.ts";
import { overBudget } from "./budget-guard.ts";
import type { SettlingDependencies } from "./settle-leftovers-guard.ts";

export interface ReceiptDependencies extends SettlingDependencies {
  readonly caps: BudgetCaps;
  readonly rules: RequestRules;
  /** Whether a failure says that the service refused the request because it already has it. */
  readonly isRepetition: (failure: Failure, step: Step) => boolean;
  /** Runs when a mutation was carried out. */
  readonly onDone: (call: ReceiptCall, result: Json) => Promise<void>;
  readonly leaseMs: number;
  readonly lateEffectMs: number;
  readonly xTime: ReceiptTime;
  readonly now: () => number;
  /** By which calls are timed; without it their entries in the audit log are completed when they have ended. */
  readonly clock?: Pick<Clock, "now">;
}

interface Required extends Pick<CallContext, "replayed" | "limits" | "answers" | "bill" | "isOwnCall"> {
  readonly account: Account;
  readonly planned: PlannedMutation | undefined;
}

type Added = Pick<CallContext, "journal">;
export type ReceiptCall = GeneralCall<Required>;

/**
 * Writes a receipt before anything is sent, lets the tool send, and writes down how it ended. An answer that got
 * lost on the way is looked for at once. The contract does so; this says what a receipt of a mutation is.
 */
export const receipt: GeneralGuard<ReceiptDependencies, Required, Added> = {
  name: "receipt",
  codes: (tool) => [
    ...(takesKey(tool) ? ["validation_error"] : []),
    "policy_denied_rate_limited",
    "policy_denied_user_rule",
    "x_network_error",
  ],
  async run(call, next, dependencies) {
    const { planned, replayed } = call.context;
    if (planned === undefined) return next();
    const guarded = guardedCall(call, planned, dependencies);
    const run = (journal: Journal) => next({ context: { journal } });
    return replayed === undefined ? sendBehindReceipt(guarded, run) : rebuildAnswer(guarded, replayed, run);
  },
};

/** A mutation as the contract sends it, with what this product writes and says of it. */
function guardedCall(
  call: ReceiptCall,
  planned: PlannedMutation,
  dependencies: ReceiptDependencies,
): GuardedCall<ReceiptRow, Refusal> {
  const { account, bill } = call.context;
  const { mutation, record } = planned;
  const { rules, leaseMs, lateEffectMs, xTime: time, isRepetition, settlingFor, onDone } = dependencies;
  return {
    storage: account.receipts,
    claim: () => claim(call, planned, dependencies),
    finish: (ending) => finish(call, planned, dependencies, ending),
    requests: { rules, isSequence: mutation.expectedSteps > 1, leaseMs, lateEffectMs, time },
    settling: () => settlingFor(account, call.signal, bill),
    resultOf: firstAnswer,
    isRepetition,
    answer: (why) => answerTo(why, dependencies.now()),
    warn: call.warn,
    onHeld({ id }) {
      record.receiptId = id;
      record.receiptState = "pending";
      // The receipt of a first attempt is named by its call, whose id the answer has.
      if (id !== call.id) call.annotate({ receipt_id: id });
    },
    onFinished(held, finished) {
      record.receiptState = finished?.state ?? "unknown";
      if (finished !== undefined && finished.state !== "unknown")
        record.paid = priceOf(planned, held, finished.stepsDone);
    },
    onSettled(held, state) {
      record.receiptState = state;
      if (state === "confirmed") record.paid = priceOf(planned, held);
    },
    onReplay: ({ id }) => call.annotate({ replayed: true, receipt_id: id }),
    async onDone(result, _, from) {
      if (from !== "receipt") call.annotate({ rollback: shownRollback(mutation.rollback(result)) });
      if (from === "this call") await onDone(call, result);
    },
  };
}

function claim(
  { id, tool, input, effect, caller, startedAt, context }: ReceiptCall,
  { mutation, identity, release, record }: PlannedMutation,
  { caps, leaseMs, now }: ReceiptDependencies,
) {
  const { account, limits = [], answers, bill, isOwnCall } = context;
  const { repeat, expectedSteps, requests } = mutation;
  return account.receipts.claim({
    callId: id,
    tool: tool.name,
    args: redact(input),
    startedAt,
    effect,
    transport: caller.transport,
    client: clientName(caller, isOwnCall),
    decision: record.decision,
    ruleId: record.ruleId,
    identity,
    repeat,
    approvalId: release?.approvalId,
    answers,
    expectedSteps,
    needs: {
      expense: {
        callId: id,
        tool: tool.name,
        by: callerName(caller, isOwnCall),
        approvalId: release?.approvalId,
        requests,
      },
      caps: bill === undefined ? caps : capsLeft(bill),
      limits,
    },
    leaseMs,
    now: now(),
  });
}

/** With what is left to say in the audit log of a call that was carried out and that began its receipt. */
async function finish(
  call: ReceiptCall,
  { mutation, record }: PlannedMutation,
  dependencies: ReceiptDependencies,
  ending: Ending,
): Promise<Finished | undefined> {
  const { result, receiptId } = ending;
  const entry =
    result === undefined || receiptId !== call.id
      ? undefined
      : callEnd(call, dependencies, mutation.rollback(result));
  const finished = await call.context.account.receipts.finish({ ...ending, entry });
  record.isAudited = entry !== undefined && finished?.state === "confirmed";
  return finished;
}

function callEnd(
  { startedAt }: ReceiptCall,
  { clock }: ReceiptDependencies,
  rollback: Rollback,
): CallEnd | undefined {
  if (clock === undefined) return undefined;
  return { rollback_json: JSON.stringify(rollback), elapsed_ms: Math.max(0, clock.now() - startedAt) };
}

function answerTo(why: NotDone<ReceiptRow, Refusal>, now: number): Failed<Failure> {
  if (why.kind !== "refused") return answerRepeated(why, now);
  switch (why.refusal.kind) {
    case "second_reply":
      return secondReply();
    case "budget":
      return overBudget(why.refusal);
    case "limit":
      return limitReached(why.refusal);
  }
}

function secondReply(): Failed<Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    policyDecision: "denied",
    message:
      "This account has answered that post. X allows an automated account one reply to a post. Nothing was sent.",
    fixBy: "human",
    details: { matched_rule_id: "hard:x_one_reply" },
  });
}

/** What this attempt cost, when so many steps are done. */
function priceOf({ mutation }: PlannedMutation, { steps }: HeldReceipt, stepsDone?: number) {
  return costOf(mutation.requests.slice(steps.filter(isDone).length, stepsDone));
}

/** Without the note on what can be undone: how is said by the rest, and the audit has all of it. */
function shownRollback({ note, ...rollback }: Rollback): JsonObject {
  return { ...rollback, ...(!rollback.reversible && note !== undefined && { note }) };
}

function isDone({ state }: Step): boolean {
  return state === "confirmed";
}
