import {
  type Call,
  type Failed,
  type Failure,
  failed,
  type Guard,
  type Json,
  type JsonObject,
  type Next,
  redact,
} from "@toolpact/contract";
import { StorageError } from "../../storage/storage-error.ts";
import { storageFailure } from "../../storage/storage-failure.ts";
import type { BudgetCaps } from "../budget/bill.ts";
import { overBudget } from "../budget/refusals.ts";
import { costOf, type GuardOutcome, type MutationContext } from "../call-context.ts";
import { mutationGuard } from "../mutation-guard.ts";
import { limitReached } from "../policy/limit.ts";
import {
  continuedElsewhere,
  firstAnswer,
  keyReused,
  refusedRepeat,
  stillUnknown,
} from "../repeat/repeat-answers.ts";
import type { SettlingFor } from "../repeat/repeat-guard.ts";
import { Journal, type RequestRules } from "./journal.ts";
import { findLostAnswer } from "./lost-answer.ts";
import type { Step } from "./receipt.ts";
import type { Finished, HeldReceipt, NotClaimed, ReceiptAttempt } from "./receipt-storage.ts";
import { journals } from "./receipted-fetch.ts";

export interface ReceiptOptions {
  readonly settlingFor: SettlingFor;
  readonly caps: BudgetCaps;
  readonly rules: RequestRules;
  /** Whether a failure says that the service refused the request because it already has it. */
  readonly isRepetition: (failure: Failure) => boolean;
  /** Runs when a mutation was carried out. */
  readonly onDone: (
    call: Call<unknown, unknown, JsonObject>,
    context: MutationContext,
    result: Json,
  ) => Promise<void>;
  readonly leaseMs: number;
  readonly now: () => number;
}

/**
 * Writes a receipt before anything is sent, lets the tool send, and writes down how it ended. An answer that got
 * lost on the way is looked for at once.
 */
export function receiptGuard(options: ReceiptOptions): Guard<unknown, unknown, JsonObject> {
  return mutationGuard(
    "receipt",
    [
      "validation_error",
      "policy_denied_hard_rule",
      "policy_denied_rate_limited",
      "policy_denied_user_rule",
      "x_network_error",
    ],
    (call, context, next) =>
      context.rebuilds === undefined
        ? runWithReceipt(call, context, options, next)
        : rebuildAnswer(call, context, options, context.rebuilds, next),
  );
}

async function runWithReceipt(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext,
  options: ReceiptOptions,
  next: Next,
): Promise<GuardOutcome> {
  const claimed = await claim(call, context, options);
  if (!claimed.ok) return notClaimed(claimed.failure, options.now());
  const held = claimed.value;
  context.receiptId = held.id;
  call.annotate({ receipt_id: held.id });

  const journal = journalOf(context, options, held, "send");
  let outcome: GuardOutcome | undefined;
  try {
    outcome = await journals.run(journal, next);
  } finally {
    // A bug in the tool must not leave its receipt open.
    if (outcome === undefined) await finish(call, context, options, held, journal, undefined);
  }
  if (outcome.ok === false && options.isRepetition(outcome.failure)) await doubtRepetition(context, journal);
  const finished = await finish(call, context, options, held, journal, outcome);
  if (finished !== undefined && finished.state !== "unknown")
    context.paid = priceOf(context, held, finished.stepsDone);
  if (outcome.ok === true) {
    call.annotate({ rollback: { ...context.mutation.rollback(outcome.value) } });
    await options.onDone(call, context, outcome.value);
    return outcome;
  }
  if (outcome.ok === null) return outcome;
  const notSent = journal.steps.some(isDone) ? undefined : journal.notSent;
  if (notSent === "storage") return storageFailure({ kind: "failed" });
  if (typeof notSent === "object")
    return continuedElsewhere({ id: held.id, state: "failed" }, notSent.continuedBy);
  if (finished?.state !== "unknown") return withReceipt(outcome, held, finished?.state);
  const found = await findLostAnswer(options.settlingFor(context, call.signal), held, outcome);
  if (found.isDone) {
    context.paid = priceOf(context, held);
    return rebuildAnswer(call, context, options, { ...held, attempt: held.attempt + 1 }, next);
  }
  return withReceipt(found.failure, held, found.state);
}

function claim(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext,
  { caps, leaseMs, now }: ReceiptOptions,
) {
  const { receipts, mutation, identity, release, limits, answers } = context;
  const { repeat, expectedSteps, requests } = mutation;
  return receipts.claim({
    callId: call.id,
    tool: call.tool.name,
    args: redact(call.input),
    identity,
    repeat,
    approvalId: release?.approvalId,
    answers,
    expectedSteps,
    needs: { expense: { callId: call.id, tool: call.tool.name, requests }, caps, limits },
    leaseMs,
    now: now(),
  });
}

function notClaimed(why: NotClaimed, now: number): GuardOutcome {
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
  { receipts: storage, mutation }: MutationContext,
  { rules, leaseMs, now }: ReceiptOptions,
  { id, attempt, steps }: HeldReceipt,
  mode: "send" | "replay",
): Journal {
  const isSequence = mutation.expectedSteps > 1;
  return new Journal({ storage, rules, id, attempt, steps, mode, isSequence, leaseMs, now });
}

async function finish(
  call: Call<unknown, unknown, JsonObject>,
  { receipts }: MutationContext,
  { now }: ReceiptOptions,
  { id, attempt }: ReceiptAttempt,
  journal: Journal,
  outcome: GuardOutcome | undefined,
): Promise<Finished | undefined> {
  try {
    // A step that could not be written down is settled later; until then nothing is certain.
    if (journal.hasUnwritten) throw new StorageError("failed", "A step could not be written down.");
    return await receipts.finish({
      receiptId: id,
      attempt,
      ...(outcome?.ok === true && { result: outcome.value }),
      ...(outcome?.ok === false && { failure: outcome.failure }),
      now: now(),
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    call.warn(
      "How this ended could not be written down; it will be found out before the same call is sent again.",
    );
    return undefined;
  }
}

/** What this attempt cost, when so many steps are done. */
function priceOf({ mutation }: MutationContext, { steps }: HeldReceipt, stepsDone?: number) {
  return costOf(mutation.requests.slice(steps.filter(isDone).length, stepsDone));
}

/** It was carried out before: the tool runs on the recorded answers, and sends nothing. */
async function rebuildAnswer(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext,
  options: ReceiptOptions,
  { id, attempt }: ReceiptAttempt,
  next: Next,
): Promise<GuardOutcome> {
  const { receipts, mutation } = context;
  const steps = await receipts.stepsOf(id);
  const journal = journalOf(context, options, { id, attempt, steps }, "replay");
  const outcome = await journals.run(journal, next);
  if (outcome.ok !== true) return outcome;
  call.annotate({ rollback: { ...mutation.rollback(outcome.value) } });
  await receipts.saveResult(id, outcome.value);
  return outcome;
}

/**
 * X refuses as a repetition what it already has. Where the same request got no answer before, that may be the reason:
 * then its outcome is open until it is read back.
 */
async function doubtRepetition({ receipts }: MutationContext, journal: Journal): Promise<void> {
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
  return failed({ ...failure, details: { ...failure.details, receipt: { id, state } } });
}
