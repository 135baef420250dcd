import {
  type AnyOutcome,
  type Clock,
  type Failed,
  type Failure,
  failed,
  type Json,
  type JsonObject,
  type Next,
  redact,
} from "@toolpact/contract";
import { type BudgetCaps, capsLeft } from "@toolpact/contract/guards";
import { StorageError, storageFailure } from "../../storage/storage-error.ts";
import { clientName } from "../agents/agent.ts";
import { callerName } from "../budget/bill.ts";
import { overBudget } from "../budget/budget-guard.ts";
import {
  type Account,
  type CallContext,
  costOf,
  type GeneralCall,
  type GeneralGuard,
  type PlannedMutation,
  type Rollback,
  takesKey,
} from "../call-context.ts";
import { limitReached } from "../policy/limit.ts";
import {
  continuedElsewhere,
  firstAnswer,
  keyReused,
  refusedRepeat,
  stillUnknown,
  takenOver,
} from "../repeat/repeat-answers.ts";
import { Journal, type ReceiptTime, type RequestRules } from "./journal.ts";
import type { Step } from "./receipt.ts";
import type { CallEnd, Finished, HeldReceipt, NotClaimed, ReceiptAttempt } from "./receipt-storage.ts";
import { findLostAnswer, type SettlingDependencies } from "./settle.ts";

export interface ReceiptDependencies extends SettlingDependencies {
  readonly caps: BudgetCaps;
  readonly rules: RequestRules;
  /** Whether a failure says that the service refused the request because it already has it. */
  readonly isRepetition: (failure: Failure) => boolean;
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
 * lost on the way is looked for at once.
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
    return replayed === undefined
      ? runWithReceipt(call, planned, dependencies, next)
      : rebuildAnswer(call, planned, dependencies, replayed, next);
  },
};

async function runWithReceipt(
  call: ReceiptCall,
  planned: PlannedMutation,
  dependencies: ReceiptDependencies,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const { account } = call.context;
  const { mutation, record } = planned;
  const claimed = await claim(call, planned, dependencies);
  if (!claimed.ok) return notClaimed(claimed.failure, dependencies.now());
  const held = claimed.value;
  record.receiptId = held.id;
  record.receiptState = "pending";
  // The receipt of a first attempt is named by its call, whose id the answer has.
  if (held.id !== call.id) call.annotate({ receipt_id: held.id });

  const journal = journalOf(account, planned, dependencies, held, "send");
  let outcome: AnyOutcome | undefined;
  try {
    outcome = await next({ context: { journal } });
  } finally {
    // A bug in the tool must not leave its receipt open.
    if (outcome === undefined) await finish(call, dependencies, held, journal, undefined);
  }
  if (outcome.ok === false && dependencies.isRepetition(outcome.failure))
    await doubtRepetition(account, journal);
  const rollback = outcome.ok === true ? mutation.rollback(outcome.value) : undefined;
  const entry =
    rollback === undefined || held.id !== call.id ? undefined : callEnd(call, dependencies, rollback);
  const finished = await finish(call, dependencies, held, journal, outcome, entry);
  record.isAudited = entry !== undefined && finished?.state === "confirmed";
  record.receiptState = finished?.state ?? "unknown";
  if (finished !== undefined && finished.state !== "unknown")
    record.paid = priceOf(planned, held, finished.stepsDone);
  if (outcome.ok === true) {
    if (rollback !== undefined) call.annotate({ rollback: shownRollback(rollback) });
    await dependencies.onDone(call, outcome.value);
    return outcome;
  }
  if (outcome.ok === null) return outcome;
  const notSent = journal.steps.some(isDone) ? undefined : journal.notSent;
  if (notSent instanceof StorageError) return storageFailure(notSent);
  if (notSent === "taken_over") return takenOver(held);
  if (typeof notSent === "object")
    return continuedElsewhere({ id: held.id, state: "failed" }, notSent.continuedBy);
  if (finished?.state !== "unknown") return withReceipt(outcome, held, finished?.state);
  const found = await findLostAnswer(
    dependencies.settlingFor(account, call.signal, call.context.bill),
    held,
    outcome,
  );
  record.receiptState = found.isDone ? "confirmed" : found.state;
  if (!found.isDone) return withReceipt(found.failure, held, found.state);
  record.paid = priceOf(planned, held);
  return rebuildAnswer(call, planned, dependencies, { ...held, attempt: held.attempt + 1 }, next);
}

/** All that is left to say in the audit log of a call that was carried out. */
function callEnd(
  { startedAt }: ReceiptCall,
  { clock }: ReceiptDependencies,
  rollback: Rollback,
): CallEnd | undefined {
  if (clock === undefined) return undefined;
  return { rollback_json: JSON.stringify(rollback), elapsed_ms: Math.max(0, clock.now() - startedAt) };
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

function notClaimed(why: NotClaimed, now: number): AnyOutcome {
  switch (why.kind) {
    case "key_reused":
      return keyReused(why.receipt);
    case "second_reply":
      return secondReply();
    case "refused":
      return why.refusal.kind === "budget" ? overBudget(why.refusal) : limitReached(why.refusal);
    case "repeat": {
      const { receipt, earlier } = why;
      // Another call with the same arguments was faster.
      if (earlier.kind === "running" || earlier.kind === "just_done")
        return refusedRepeat(receipt, earlier, now);
      return firstAnswer(receipt) ?? stillUnknown(receipt, { state: "unknown", retryAt: now }, now);
    }
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

function journalOf(
  { receipts: storage }: Account,
  { mutation }: PlannedMutation,
  { rules, leaseMs, lateEffectMs, xTime }: ReceiptDependencies,
  { id, attempt, steps }: HeldReceipt,
  mode: "send" | "replay",
): Journal {
  const isSequence = mutation.expectedSteps > 1;
  return new Journal({
    storage,
    rules,
    id,
    attempt,
    steps,
    mode,
    isSequence,
    leaseMs,
    lateEffectMs,
    xTime,
  });
}

async function finish(
  { context: { account }, warn }: ReceiptCall,
  { now }: ReceiptDependencies,
  { id, attempt }: ReceiptAttempt,
  journal: Journal,
  outcome: AnyOutcome | undefined,
  entry?: CallEnd,
): Promise<Finished | undefined> {
  try {
    // A step that could not be written down is settled later; until then nothing is certain.
    if (journal.hasUnwritten) throw new StorageError("failed", "A step could not be written down.");
    return await account.receipts.finish({
      receiptId: id,
      attempt,
      step: journal.unwritten,
      entry,
      ...(outcome?.ok === true && { result: outcome.value }),
      ...(outcome?.ok === false && { failure: outcome.failure }),
      now: now(),
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    warn(
      "How this ended could not be written down; it will be found out before the same call is sent again.",
    );
    return undefined;
  }
}

/** What this attempt cost, when so many steps are done. */
function priceOf({ mutation }: PlannedMutation, { steps }: HeldReceipt, stepsDone?: number) {
  return costOf(mutation.requests.slice(steps.filter(isDone).length, stepsDone));
}

/** It was carried out before: the tool runs on the recorded answers, and sends nothing. */
async function rebuildAnswer(
  call: ReceiptCall,
  planned: PlannedMutation,
  dependencies: ReceiptDependencies,
  { id, attempt }: ReceiptAttempt,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const { account } = call.context;
  const steps = await account.receipts.stepsOf(id);
  const journal = journalOf(account, planned, dependencies, { id, attempt, steps }, "replay");
  const outcome = await next({ context: { journal } });
  if (outcome.ok !== true) return outcome;
  call.annotate({ rollback: shownRollback(planned.mutation.rollback(outcome.value)) });
  await account.receipts.saveResult(id, outcome.value);
  return outcome;
}

/** Without the note on what can be undone: how is said by the rest, and the audit has all of it. */
function shownRollback({ note, ...rollback }: Rollback): JsonObject {
  return { ...rollback, ...(!rollback.reversible && note !== undefined && { note }) };
}

/**
 * X refuses as a repetition what it already has. Where the same request got no answer before, that may be the reason:
 * then its outcome is open until it is read back.
 */
async function doubtRepetition({ receipts }: Account, journal: Journal): Promise<void> {
  const refused = journal.steps.findLast(({ state, status }) => state === "failed" && status === 403);
  if (refused !== undefined && (await receipts.wasSentBefore(refused))) await receipts.doubtStep(refused);
}

function isDone({ state }: Step): boolean {
  return state === "confirmed";
}

function withReceipt(
  { failure }: Failed<Failure>,
  { id }: ReceiptAttempt,
  state: Finished["state"] = "unknown",
): Failed<Failure> {
  const { may_have_taken_effect: isUncertain, ...details } = failure.details ?? {};
  // Here the same call may be made again: X is asked what became of the first before anything is sent.
  const { retryable, ...rest } = failure;
  return failed({
    ...(isUncertain === undefined ? failure : rest),
    details: { ...details, receipt: { id, state } },
  });
}
