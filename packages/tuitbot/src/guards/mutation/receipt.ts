import {
  type AnyOutcome,
  type Clock,
  type Failed,
  type Failure,
  failed,
  type Json,
  ok,
  type Tool,
} from "@toolpact/contract";
import type { Journal, RequestRules } from "@toolpact/contract/guards";
import { type AnyErrorSet, redact } from "@toolpact/contract/internal";
import {
  type BudgetCaps,
  capsLeft,
  type Finished,
  type HeldReceipt,
  type RanWithReceipt,
  type ReceiptAttempt,
  type ReceiptRun,
  type ReceiptTime,
  type RepeatRefusal,
  rebuildAnswer,
  runWithReceipt,
  type Step,
  UNSTORED_WARNING,
} from "@toolpact/contract/internal/guards";
import { callerName, clientName } from "../../agents/agent.ts";
import { type ErrorCode, errors } from "../../errors.ts";
import { StorageError, storageFailure } from "../../storage/storage-error.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { XBill } from "../budget/bill.ts";
import { type Account, costOf, type PlannedMutation, type Rollback, takesKey } from "../call/call-context.ts";
import type { MutationCall } from "../call/mutation.ts";
import { type LimitNeed, limitReached } from "../policy/limits.ts";
import type { CallEnd, MutationEnding, MutationRefusal } from "../receipts/receipt.ts";
import { overBudget } from "./budget.ts";
import { CHECKING_CODE, firstAnswer, type ResolverDependencies, refuseRepeat } from "./repeat.ts";

export interface ReceiptDependencies extends ResolverDependencies {
  readonly caps: BudgetCaps;
  readonly rules: RequestRules;
  /** The service already has the request. */
  readonly isRepetition: (failure: Failure, step: Step) => boolean;
  readonly onDone: (call: MutationCall, result: Json) => Promise<void>;
  readonly leaseMs: number;
  readonly lateEffectMs: number;
  readonly xTime: ReceiptTime;
  readonly now: () => number;
  /** Without it, audit entries are completed at the end. */
  readonly clock?: Pick<Clock, "now">;
}

export function receiptCodes(tool: Pick<Tool, "effects">): readonly ErrorCode[] {
  return [
    ...(takesKey(tool) ? (["validation_error"] as const) : []),
    "policy_denied_rate_limited",
    "policy_denied_user_rule",
    "x_network_error",
  ];
}

type RunTool = (journal: Journal) => Promise<AnyOutcome>;

export interface ReceiptCall {
  readonly call: MutationCall;
  readonly planned: PlannedMutation;
  readonly limits: readonly LimitNeed[];
  readonly answers: string | undefined;
  readonly bill: XBill | undefined;
}

/** Around the tool, with a receipt stored before anything is sent. */
export async function runMutation(
  mutation: ReceiptCall,
  dependencies: ReceiptDependencies,
  run: RunTool,
): Promise<AnyOutcome> {
  const result = await runWithReceipt(receiptRun(mutation, dependencies), run);
  switch (result.kind) {
    case "ran":
      return afterRun(mutation, dependencies, result);
    case "done_before": {
      const { receipt } = result;
      mutation.call.annotate({ replayed: true, receipt_id: receipt.id });
      const stored = firstAnswer(receipt);
      return stored === undefined ? answerAgain(mutation, dependencies, receipt, run) : ok(stored);
    }
    case "refused":
      return refused(mutation.call.context.account, result.refusal, dependencies.now());
    case "storage_trouble":
      if (result.error instanceof StorageError) return storageFailure(result.error);
      throw result.error;
  }
}

/** Sends nothing. */
export async function answerAgain(
  { call, planned }: Pick<ReceiptCall, "call" | "planned">,
  dependencies: ReceiptDependencies,
  receipt: ReceiptAttempt,
  run: RunTool,
): Promise<AnyOutcome> {
  const { receipts: storage } = call.context.account;
  const requests = requestOptions(planned, dependencies);
  return withRollback(call, planned, await rebuildAnswer({ storage, requests }, receipt, run));
}

/** With this product's writes in the same transactions. */
function receiptRun(
  mutation: ReceiptCall,
  dependencies: ReceiptDependencies,
): ReceiptRun<ReceiptRow, MutationRefusal> {
  const { call, planned, bill } = mutation;
  const { account } = call.context;
  const { isRepetition, resolverFor } = dependencies;
  let held: HeldReceipt | undefined;
  return {
    storage: account.receipts,
    async claim() {
      const claimed = await claim(mutation, dependencies);
      if (claimed.ok) {
        held = claimed.value;
        const { id } = held;
        // At once, because this process may die next. `afterRun` reports a failure.
        const keep = () => void account.receipts.keepAnswer(id, dependencies.now()).catch(() => {});
        call.signal.addEventListener("abort", keep, { once: true });
      }
      return claimed;
    },
    async finish(ending) {
      const finished = await finish(call, planned, dependencies, ending);
      planned.record.receiptState = finished?.state ?? "unknown";
      if (held !== undefined && finished !== undefined && finished.state !== "unknown")
        planned.record.paid = priceOf(planned, held, finished.stepsDone);
      return finished;
    },
    requests: requestOptions(planned, dependencies),
    resolverFor: () => resolverFor(account, call.signal, bill),
    retryCode: (code) => (isRetryableCode(code) ? code : CHECKING_CODE),
    isRepetition,
  };
}

const { rows }: AnyErrorSet = errors;

function isRetryableCode(code: string): boolean {
  return rows[code]?.retryable === true;
}

function requestOptions(
  { mutation }: PlannedMutation,
  { rules, leaseMs, lateEffectMs, xTime: time }: ReceiptDependencies,
) {
  return { rules, isSequence: mutation.expectedSteps > 1, leaseMs, lateEffectMs, time };
}

/** For the audit log and the bill. */
async function afterRun(
  { call, planned }: ReceiptCall,
  dependencies: ReceiptDependencies,
  { outcome, receipt, isStored, found }: RanWithReceipt,
): Promise<AnyOutcome> {
  const { record } = planned;
  if (!isStored) {
    call.warn(UNSTORED_WARNING);
    record.receiptState = "unknown";
  }
  // The caller left, or was asked to repeat the call.
  if (call.signal.aborted) await call.context.account.receipts.keepAnswer(receipt.id, dependencies.now());
  if (found !== undefined) record.receiptState = found;
  if (found === "confirmed") record.paid = priceOf(planned, receipt);
  withRollback(call, planned, outcome);
  if (outcome.ok === true && found === undefined) await dependencies.onDone(call, outcome.value);
  return outcome;
}

function withRollback(call: MutationCall, { mutation }: PlannedMutation, outcome: AnyOutcome): AnyOutcome {
  if (outcome.ok === true) {
    const rollback = mutation.rollback(outcome.value);
    // undo_last undoes the rest.
    if (!rollback.reversible) call.annotate({ rollback: { ...rollback } });
  }
  return outcome;
}

async function claim(
  { call, planned, limits, answers, bill }: ReceiptCall,
  { caps, leaseMs, now }: ReceiptDependencies,
) {
  const { mutation, identity, release, record } = planned;
  const { id, tool, input, effect, caller, startedAt, context } = call;
  const { account, isOwnCall } = context;
  const { repeat, expectedSteps, requests } = mutation;
  const claimed = await account.receipts.claim({
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
  if (claimed.ok) {
    record.receiptId = claimed.value.id;
    record.receiptState = "pending";
    // A first attempt's receipt has the call's id.
    if (claimed.value.id !== id) call.annotate({ receipt_id: claimed.value.id });
  }
  return claimed;
}

/** Adds the rest to the audit entry of a call that began its receipt. */
async function finish(
  call: MutationCall,
  { mutation, record }: PlannedMutation,
  dependencies: ReceiptDependencies,
  ending: MutationEnding,
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
  { startedAt }: MutationCall,
  { clock }: ReceiptDependencies,
  rollback: Rollback,
): CallEnd | undefined {
  if (clock === undefined) return undefined;
  return { rollback_json: JSON.stringify(rollback), elapsed_ms: Math.max(0, clock.now() - startedAt) };
}

async function refused(
  account: Account,
  refusal: RepeatRefusal<ReceiptRow> | MutationRefusal,
  now: number,
): Promise<Failed<Failure>> {
  switch (refusal.kind) {
    case "second_reply":
      return secondReply();
    case "budget":
      return overBudget(refusal);
    case "limit":
      return limitReached(refusal);
    default:
      return refuseRepeat(account, refusal, now);
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

/** For this attempt. */
function priceOf({ mutation }: PlannedMutation, { steps }: HeldReceipt, stepsDone?: number) {
  return costOf(mutation.requests.slice(steps.filter(isDone).length, stepsDone));
}

function isDone({ state }: Step): boolean {
  return state === "confirmed";
}
