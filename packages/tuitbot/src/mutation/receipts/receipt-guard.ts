import { basename } from "node:path";
import {
  type Call,
  type Failed,
  type Failure,
  failed,
  type Guard,
  type Next,
  type PlainExtras,
  redact,
} from "@toolpact/contract";
import type { ReceiptState } from "../../storage/database.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { storageFailure } from "../../storage/storage-failure.ts";
import type { BudgetCaps } from "../budget/ledger.ts";
import { overBudget } from "../budget/refusals.ts";
import type { GuardOutcome, MutationContext } from "../call-context.ts";
import { fileDigest, rememberMedia } from "../media-bytes.ts";
import { mutationGuard } from "../mutation-guard.ts";
import { costOf } from "../plan.ts";
import { limitReached, secondReply } from "../policy/policy-answers.ts";
import {
  continuedElsewhere,
  firstAnswer,
  keyReused,
  refusedRepeat,
  stillUnknown,
} from "../repeat/repeat-answers.ts";
import type { SettlingFor } from "../repeat/repeat-guard.ts";
import { rollbackOf } from "../rollback.ts";
import { claimReceipt, type HeldReceipt, type NotClaimed } from "./claim.ts";
import { wasSentBefore } from "./earlier-steps.ts";
import { stepsOf } from "./find-receipt.ts";
import { finishReceipt } from "./finish.ts";
import { Journal } from "./journal.ts";
import { journals } from "./receipted-fetch.ts";
import { saveResult } from "./save-result.ts";
import { type Settled, settleReceipt } from "./settle.ts";

export interface ReceiptOptions {
  readonly settlingFor: SettlingFor;
  readonly caps: () => BudgetCaps;
  readonly mediaRoots: () => readonly string[];
  readonly leaseMs: number;
  readonly now: () => number;
}

/**
 * Writes a receipt before anything is sent, lets the tool send, and writes down how it ended. An answer that got
 * lost on the way is looked for at X at once.
 */
export function receiptGuard(options: ReceiptOptions): Guard<PlainExtras> {
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
        ? throughReceipt(call, context, options, next)
        : rebuildFrom(call, context, options, context.rebuilds, next),
  );
}

async function throughReceipt(
  call: Call<PlainExtras>,
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
    // A defect of the tool must not leave its receipt open.
    if (outcome === undefined) await finish(call, context, options, held, journal, undefined);
  }
  if (outcome.ok === false && isRepetition(outcome.failure)) await doubtRepetition(context, journal);
  const state = await finish(call, context, options, held, journal, outcome);
  if (outcome.ok === false && !journal.steps.some(isDone)) {
    const { notSent } = journal;
    if (notSent === "storage") return storageFailure({ kind: "failed" });
    if (typeof notSent === "object")
      return continuedElsewhere({ id: held.id, state: "failed" }, notSent.continuedBy);
  }
  if (outcome.ok === true) {
    call.annotate({ rollback: { ...rollbackOf(call.tool, call.input, outcome.value) } });
    await keepMedia(call, context, options, outcome.value);
    return outcome;
  }
  if (outcome.ok === null) return outcome;
  if (state === "unknown") return lookAtOnce(call, context, options, held, outcome, next);
  return failed({ ...outcome.failure, details: { ...outcome.failure.details, ...shown(held, state) } });
}

function claim(call: Call<PlainExtras>, context: MutationContext, { caps, leaseMs, now }: ReceiptOptions) {
  const { store, account, mutation, identity, release, limits } = context;
  return claimReceipt(store, {
    callId: call.id,
    account,
    tool: call.tool.name,
    args: redact(call.input),
    identity,
    repeat: mutation.repeat,
    approvalId: release?.approvalId,
    replyTo: context.answers,
    expectedSteps: Math.max(1, mutation.posts.length),
    needs: {
      expense: { callId: call.id, tool: call.tool.name, requests: mutation.requests },
      caps: caps(),
      limits,
    },
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
    case "standing": {
      const { receipt, standing } = why;
      // Another call with the same arguments was faster.
      if (standing.kind === "running" || standing.kind === "just_done")
        return refusedRepeat(receipt, standing, now);
      return firstAnswer(receipt) ?? stillUnknown(receipt, { state: "unknown", retryAt: now }, now);
    }
  }
}

function journalOf(
  { store, account, mutation }: MutationContext,
  { leaseMs, now }: ReceiptOptions,
  { id: receiptId, attempt, steps }: HeldReceipt,
  mode: "send" | "replay",
): Journal {
  const isThread = mutation.posts.length > 1;
  return new Journal({ store, account, receiptId, attempt, steps, mode, isThread, leaseMs, now });
}

async function finish(
  call: Call<PlainExtras>,
  context: MutationContext,
  { now }: ReceiptOptions,
  { id, attempt, steps }: HeldReceipt,
  journal: Journal,
  outcome: GuardOutcome | undefined,
): Promise<ReceiptState | undefined> {
  const { store, mutation } = context;
  try {
    // What could not be written down before is found out later; until then nothing is certain.
    if (journal.hasUnwritten) throw new StorageError("failed", "A step could not be written down.");
    const finished = await finishReceipt(store, {
      receiptId: id,
      attempt,
      ...(outcome?.ok === true && { result: outcome.value }),
      ...(outcome?.ok === false && { failure: outcome.failure }),
      now: now(),
    });
    if (finished !== undefined && finished.state !== "unknown") {
      const before = steps.filter(isDone).length;
      context.paid = costOf(mutation.requests.slice(before, finished.stepsDone));
    }
    return finished?.state;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    call.warn(
      "How this ended could not be written down; it will be found out before the same call is sent again.",
    );
    return undefined;
  }
}

/** The answer got lost: X is asked whether it was carried out, and the caller learns what is known by then. */
async function lookAtOnce(
  call: Call<PlainExtras>,
  context: MutationContext,
  options: ReceiptOptions,
  held: HeldReceipt,
  lost: Failed<Failure>,
  next: Next,
): Promise<GuardOutcome> {
  const settled = call.signal.aborted ? undefined : await settle(call, context, options, held);
  if (settled?.state === "confirmed") {
    const { id, attempt, steps } = held;
    const { requests } = context.mutation;
    context.paid = costOf(requests.slice(steps.filter(isDone).length));
    return rebuildFrom(call, context, options, { id, attempt: attempt + 1 }, next);
  }
  const state = settled?.state ?? "unknown";
  const isOpen = state === "unknown";
  return failed({
    ...lost.failure,
    ...(isOpen && {
      suggestedFix:
        "Call again in half a minute with the same arguments: X is asked what became of it before anything is sent.",
      fixBy: "agent" as const,
    }),
    details: { ...lost.failure.details, may_have_taken_effect: isOpen, ...shown(held, state) },
  });
}

async function settle(
  call: Call<PlainExtras>,
  context: MutationContext,
  { settlingFor }: ReceiptOptions,
  { id, attempt }: HeldReceipt,
): Promise<Settled | undefined> {
  try {
    return await settleReceipt(settlingFor(context, call.signal), { id, attempt }, false);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/** It was carried out before: the tool runs on what X answered then, and sends nothing. */
async function rebuildFrom(
  call: Call<PlainExtras>,
  context: MutationContext,
  options: ReceiptOptions,
  { id, attempt }: { readonly id: string; readonly attempt: number },
  next: Next,
): Promise<GuardOutcome> {
  const { store } = context;
  const steps = await stepsOf(store.db, id);
  const journal = journalOf(context, options, { id, attempt, steps }, "replay");
  const outcome = await journals.run(journal, next);
  if (outcome.ok !== true) return outcome;
  call.annotate({ rollback: { ...rollbackOf(call.tool, call.input, outcome.value) } });
  await saveResult(store.db, id, outcome.value);
  return outcome;
}

/**
 * X refuses as a repetition what it has. Where the same request got no answer before, that may be it: then its
 * outcome is open, and reading back will tell.
 */
async function doubtRepetition({ store, account }: MutationContext, journal: Journal): Promise<void> {
  const refused = journal.steps.findLast(({ state, status }) => state === "failed" && status === 403);
  if (refused !== undefined && (await wasSentBefore(store.db, account, refused)))
    await journal.doubt(refused.seq);
}

function isRepetition({ code, reason, details }: Failure): boolean {
  if (code === "x_forbidden") return reason === "duplicate_content";
  const cause = details?.cause;
  return (
    code === "thread_partial_failure" &&
    typeof cause === "object" &&
    cause !== null &&
    "reason" in cause &&
    cause.reason === "duplicate_content"
  );
}

async function keepMedia(
  { input, warn }: Call<PlainExtras>,
  { store, account }: MutationContext,
  { mediaRoots, now }: ReceiptOptions,
  result: unknown,
): Promise<void> {
  const media_id = (result as { readonly media_id?: unknown } | null)?.media_id;
  if (typeof media_id !== "string" || typeof input.file_path !== "string") return;
  const sha256 = await fileDigest(input.file_path, mediaRoots());
  if (!sha256.ok) return;
  try {
    const name = basename(input.file_path);
    await rememberMedia(store.db, { account, media_id, sha256: sha256.value, name, uploaded_at: now() });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    warn("The upload could not be written down; an approval of a post with it is bound to its id alone.");
  }
}

function isDone({ state }: { readonly state: string }): boolean {
  return state === "confirmed";
}

function shown({ id }: HeldReceipt, state: ReceiptState | undefined) {
  return { receipt: { id, state: state ?? "unknown" } };
}
