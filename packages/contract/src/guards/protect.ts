import { randomUUID } from "node:crypto";
import { ok } from "@toolpact/outcome";
import type { Call, Guard, Next } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { AnyErrorSet, CodeOf, Failure } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { AnyOutcome, Tool } from "../tool.ts";
import { type ApprovalPart, requireApproval } from "./approval.ts";
import type { BudgetCaps } from "./budget.ts";
import {
  isByPerson,
  MAX_REPORTED,
  reportDecisions,
  reportedDecision,
  type WaitingCalls,
} from "./decisions.ts";
import { isUnknown } from "./idempotency.ts";
import type { Journal } from "./journal.ts";
import { LEASE_MS, renewing } from "./lease.ts";
import { type Micros, microsOf } from "./money.ts";
import type { Receipt } from "./receipt.ts";
import type { HeldReceipt } from "./receipt-storage.ts";
import { PLAIN_RULES, type RecordedRequests, resolverFor } from "./recorded-requests.ts";
import {
  type ClaimRefusal,
  checkCodes,
  codesFor,
  type RateLimit,
  type Refusal,
  type RefusalCodes,
  type RefusalRole,
  type RefusalWords,
  refuse,
} from "./refusals.ts";
import { leftoverResolver } from "./resolve.ts";
import {
  type ReceiptRun,
  type RunWithJournal,
  rebuildAnswer,
  resolveEarlier,
  runWithReceipt,
  UNSTORED_WARNING,
} from "./run-with-receipt.ts";
import type { Claim, GuardStorage } from "./storage.ts";

/** The parts of `protect`. All are optional; their order is fixed. */
export interface ProtectOptions<Errors extends AnyErrorSet, Facts = unknown, Plan = unknown> {
  /** The product's errors, against which all codes are checked. */
  readonly errors: Errors;
  /** The codes of refusals: one that callers may retry and one that they may not; finer ones are optional. */
  readonly codes: RefusalCodes<Errors>;
  /** Replaces the words of refusals. */
  readonly words?: RefusalWords<Receipt>;
  /** Returns why calls like this one are stopped now, as a sentence. */
  readonly stop?: (call: Call<Facts, Plan>) => string | undefined | Promise<string | undefined>;
  /** How equal calls are recognized. Every change has a receipt, even without this part. */
  readonly once?: OncePart<CodeOf<Errors>, Facts, Plan>;
  /** Limits on the number of calls. */
  readonly limits?: (call: Call<Facts, Plan>) => readonly RateLimit[];
  /** Prices of calls, and caps on their sum. */
  readonly budget?: BudgetPart<Facts, Plan>;
  /** Limits and budget also count calls that only read, or those for which this returns true. */
  readonly countsReads?: boolean | ((call: Call<Facts, Plan>) => boolean);
  /** Which calls a person must approve, and what is shown to them. */
  readonly approval?: ApprovalPart<Facts, Plan>;
}

/** How equal calls are recognized, and how an unknown outcome is resolved. */
export interface OncePart<Code extends string, Facts = unknown, Plan = unknown> extends RecordedRequests {
  /** The argument with which a caller names a call, or a function that returns the name. `idempotency_key` unless given. */
  readonly key?: string | ((call: Call<Facts, Plan>) => string | undefined);
  /** An equal call without a key returns the first answer for this long. 0 unless given. */
  readonly sameCallMs?: number | ((call: Call<Facts, Plan>) => number);
  /** Codes of the tool's own failures after which its outcome is unknown. An error that it throws always counts. */
  readonly uncertain?: readonly Code[];
  /** False if nobody receives the answer: the next equal call returns it. True unless the call was cancelled. */
  readonly isDelivered?: (call: Call<Facts, Plan>) => boolean;
}

/** Prices and caps in US dollars. */
export interface BudgetPart<Facts = unknown, Plan = unknown> extends SpendingCaps {
  readonly price: (call: Call<Facts, Plan>) => number;
  readonly usdPerCall?: number;
  /** Caps per caller, by the principal of their token. */
  readonly ofCaller?: (call: Call<Facts, Plan>) => SpendingCaps;
}

/** Caps by UTC days and months, for all calls of the storage's scope together. */
export interface SpendingCaps {
  readonly usdPerDay?: number;
  readonly usdPerMonth?: number;
}

/** Context of a guard that must not run after `protect`. */
export type Unprotected = object & { readonly protected?: never };

/** Context that `protect` adds. */
export interface ProtectedCall {
  readonly protected: true;
  /** Records requests before they are sent, if `once.requests` counts them. */
  readonly journal?: Pick<Journal, "beforeSend"> | undefined;
  readonly receiptId?: string | undefined;
  /** The approved item. */
  readonly itemId?: number | undefined;
}

/** Needed by `protect` when its stack is bound. */
export interface ProtectDependencies {
  readonly clock: Clock;
  readonly guardStorage: GuardStorage;
}

/**
 * Protects calls that change something: a person approves, nothing happens twice, limits and budget hold. The parts run
 * in a fixed order: plan, stop, repeat, limits, budget, approval, receipt, run, resolve. A receipt is stored before the
 * tool runs, whichever parts are given, so an approval or a budget is used once per call.
 *
 * A call that was cancelled, threw, or lost its process has an unknown outcome: it does not run again before reading back,
 * or a person, has resolved it. Decisions about earlier calls are reported in the metadata of the next answer.
 *
 * ```ts
 * const guardStorage = await openSqlStorage(await openSqlite("guards.db"), { scope: "invoices", key });
 * const stack = product
 *   .guardStack("writes")
 *   .use(deadline)
 *   .use(
 *     protect({
 *       errors,
 *       codes: { retry: "store_error", refused: "denied" },
 *       approval: { binds: async ({ input }) => ({ invoice: invoices.get(String(input.id)) ?? null }) },
 *       budget: { price: () => 0.01, usdPerDay: 5 },
 *       limits: () => [{ max: 10, periodMs: 60_000 }],
 *     }),
 *   )
 *   .answering(successEnvelope(errors))
 *   .bind({ clock: systemClock, guardStorage });
 * ```
 */
export function protect<const Errors extends AnyErrorSet, Facts = unknown, Plan = unknown>(
  options: ProtectOptions<Errors, Facts, Plan>,
): Guard<Facts, Plan, never, ProtectDependencies, Unprotected, ProtectedCall, CodeOf<Errors>> {
  checkCodes(options.errors, options.codes);
  const waitingCalls: WaitingCalls = new Map();
  const resolveLeftovers = leftoversOf(options.once ?? {});
  return {
    name: "protect",
    kind: "protect",
    codes: (tool) => codesOf(options, tool),
    async run(call, next, dependencies) {
      if (!isGuarded(options, call)) return next({ context: { protected: true } });
      const protection = new Protection(options, call, next, dependencies);
      if (EFFECTS[call.effect].mutates) await resolveLeftovers(dependencies, call.signal);
      const outcome = await protection.run();
      if (options.approval !== undefined && !isByPerson(call.caller))
        await reportTo(call, dependencies, waitingCalls, protection.waitsFor);
      return outcome;
    },
  };
}

function isGuarded<E extends AnyErrorSet, F, P>(
  { approval, countsReads = false }: ProtectOptions<E, F, P>,
  call: Call<F, P>,
): boolean {
  return (
    EFFECTS[call.effect].mutates ||
    (typeof countsReads === "function" ? countsReads(call) : countsReads) ||
    approval?.needs?.(call) === true
  );
}

/** One call on its way through the parts. */
class Protection<Errors extends AnyErrorSet, Facts, Plan> {
  /** The item that the call was refused for, because it waits for a person. */
  waitsFor: number | undefined;
  private readonly options: ProtectOptions<Errors, Facts, Plan>;
  private readonly call: Call<Facts, Plan>;
  private readonly next: Next<ProtectedCall>;
  private readonly clock: Clock;
  private readonly storage: GuardStorage;
  private readonly tool: string;
  private readonly expectedSteps: number;
  /** A counted read may run again at any time, so its outcome is never unknown and its answer is not kept. */
  private readonly isRead: boolean;
  private readonly receiptRun: ReceiptRun<Receipt, ClaimRefusal>;
  private itemId: number | undefined;

  constructor(
    options: ProtectOptions<Errors, Facts, Plan>,
    call: Call<Facts, Plan>,
    next: Next<ProtectedCall>,
    { clock, guardStorage }: ProtectDependencies,
  ) {
    this.options = options;
    this.call = call;
    this.next = next;
    this.clock = clock;
    this.storage = guardStorage;
    this.tool = toolOf(call);
    this.expectedSteps = options.once?.requests?.(call) ?? 0;
    this.isRead = !EFFECTS[call.effect].mutates && !needsApproval(options.approval, call);
    this.receiptRun = this.planReceipt();
  }

  async run(): Promise<AnyOutcome> {
    const { stop, approval } = this.options;
    const stopped = await stop?.(this.call);
    if (stopped !== undefined) return this.refuse({ kind: "stopped", why: stopped });
    this.itemId = approval?.released?.(this.call);
    if (this.itemId === undefined && approval !== undefined && needsApproval(approval, this.call)) {
      const answered = await this.answerBeforeAsking();
      if (answered !== undefined) return answered;
      const { tool, clock, storage } = this;
      const decided = await requireApproval(
        approval,
        this.call,
        { ...this.identity(), tool },
        { clock, storage },
      );
      if (decided.kind === "asks") return decided.asks;
      if (decided.kind === "refused") return this.refuse(decided.refusal);
      this.itemId = decided.itemId;
    }
    return this.runClaimed();
  }

  /** Answers calls that need no decision: repeated ones, and those over a limit or the budget. */
  private async answerBeforeAsking(): Promise<AnyOutcome | undefined> {
    const trial = await this.storage.claim({ ...this.claim(), isTrial: true });
    if (trial.ok) return undefined;
    if (trial.failure.kind !== "repeat") return this.refuse(trial.failure);
    const earlier = await resolveEarlier(this.receiptRun, trial.failure.earlier);
    switch (earlier.kind) {
      case "refused":
        return this.refuse(earlier.refusal);
      case "done_before":
        return this.answerAgain(earlier.receipt);
      case "proceed":
        return this.answerBeforeAsking();
    }
  }

  private async runClaimed(): Promise<AnyOutcome> {
    const result = await runWithReceipt(this.receiptRun, this.runTool);
    switch (result.kind) {
      case "ran":
        if (!result.isStored) this.call.warn(UNSTORED_WARNING);
        return this.delivered(result.outcome, result.receipt.id);
      case "done_before":
        return this.answerAgain(result.receipt);
      case "refused":
        return this.refuse(result.refusal);
      case "storage_trouble":
        throw result.error;
    }
  }

  private readonly runTool: RunWithJournal = async (journal, receipt) => {
    const stopRenewing = renewing(this.storage, this.clock, receipt);
    const recorded = this.expectedSteps > 0 ? { journal } : {};
    try {
      return await this.next({
        context: { protected: true, receiptId: receipt.id, itemId: this.itemId, ...recorded },
      });
    } finally {
      stopRenewing();
    }
  };

  /** Returns the first answer. A lost one is rebuilt from recorded requests, if a person has not resolved the call. */
  private async answerAgain(receipt: Receipt): Promise<AnyOutcome> {
    const { id, result, expectedSteps, settledBy } = receipt;
    annotate(this.call, { replayed: true, receipt_id: id });
    // Stored from a value of this tool.
    if (result !== undefined) return this.delivered(ok(JSON.parse(result) as Json), id);
    if (expectedSteps === 0 || settledBy !== undefined) {
      // The caller learns that it was done, so the next equal call without a key is a new one.
      await this.markDelivered(id);
      return this.refuse({ kind: "answer_lost", receipt });
    }
    return this.delivered(await rebuildAnswer(this.receiptRun, receipt, this.runTool), id);
  }

  private async delivered(outcome: AnyOutcome, receiptId: string): Promise<AnyOutcome> {
    if (outcome.ok === true) await this.markDelivered(receiptId);
    return outcome;
  }

  private async markDelivered(receiptId: string): Promise<void> {
    const isDelivered = this.options.once?.isDelivered?.(this.call) ?? !this.call.signal.aborted;
    if (isDelivered && !this.isRead) await this.storage.delivered(receiptId);
  }

  private refuse(refusal: Refusal<Receipt>): AnyOutcome {
    if (refusal.kind === "waiting") this.waitsFor = refusal.item.id;
    const { codes, words } = this.options;
    return refuse(refusal, { tool: this.tool, now: this.clock.now() }, codes, words);
  }

  private planReceipt(): ReceiptRun<Receipt, ClaimRefusal> {
    const { call, clock, storage, expectedSteps } = this;
    const { uncertain = [], ...once }: OncePart<string, Facts, Plan> = this.options.once ?? {};
    const { lateEffectMs = LATE_EFFECT_MS } = once;
    const resolver = resolverFor(once, clock, storage, call.signal);
    // Recorded requests show by themselves whether a call that failed has acted.
    const isUncertain = (failure: Failure) =>
      uncertain.includes(failure.code) || (expectedSteps === 0 && isUnknown(failure, call.signal));
    /** An approval of another caller may have released their call, so its outcome is not this caller's to resolve. */
    const canResolve = (receipt: Receipt | HeldReceipt) =>
      "principal" in receipt
        ? receipt.expectedSteps > 0 && receipt.principal === (call.caller.principal ?? "")
        : expectedSteps > 0 && once.readBack !== undefined;
    return {
      storage,
      claim: () => storage.claim({ ...this.claim(), itemId: this.itemId }),
      finish: ({ isOpen = false, ...ending }) =>
        storage.finish(
          this.isRead
            ? { ...ending, result: null }
            : {
                ...ending,
                isOpen: isOpen || (ending.failure !== undefined && isUncertain(ending.failure)),
              },
        ),
      requests: {
        rules: { ...PLAIN_RULES, ...once.rules },
        isSequence: expectedSteps > 1,
        leaseMs: LEASE_MS,
        lateEffectMs,
        time: resolver.time,
      },
      resolverFor: (receipt) => (canResolve(receipt) ? resolver : undefined),
    };
  }

  private claim(): Claim {
    const { call, clock, expectedSteps, tool } = this;
    const { sameCallMs = 0 } = this.options.once ?? {};
    return {
      ...this.identity(),
      tool,
      receiptId: randomUUID(),
      isRead: this.isRead,
      expectedSteps,
      needs: needsOf(this.options, call),
      sameCallMs: typeof sameCallMs === "number" ? sameCallMs : sameCallMs(call),
      leaseMs: LEASE_MS,
      now: clock.now(),
    };
  }

  private identity() {
    const { call } = this;
    const { key = "idempotency_key" } = this.options.once ?? {};
    const named = typeof key === "string" ? call.input[key] : key(call);
    return {
      args: call.input,
      key: typeof named === "string" ? named : undefined,
      principal: call.caller.principal,
    };
  }
}

const LATE_EFFECT_MS = 300_000;

function needsApproval<Facts, Plan>(
  approval: ApprovalPart<Facts, Plan> | undefined,
  call: Call<Facts, Plan>,
): boolean {
  return approval !== undefined && (approval.needs?.(call) ?? EFFECTS[call.effect].mutates);
}

function needsOf<E extends AnyErrorSet, F, P>({ limits, budget }: ProtectOptions<E, F, P>, call: Call<F, P>) {
  const caller = budget?.ofCaller?.(call);
  const caps: BudgetCaps = {
    perCall: capOf(budget?.usdPerCall),
    ...capsOf(budget ?? {}),
    ...(caller && { caller: { id: call.caller.principal ?? "", ...capsOf(caller) } }),
  };
  return { costMicros: microsOf(budget?.price(call) ?? 0), caps, limits: limits?.(call) ?? [] };
}

function capsOf({ usdPerDay, usdPerMonth }: SpendingCaps) {
  return { perDay: capOf(usdPerDay), perMonth: capOf(usdPerMonth) };
}

function capOf(usd: number | undefined): Micros | undefined {
  return usd === undefined ? undefined : microsOf(usd);
}

/** The codes of the roles that the given parts can refuse with. */
function codesOf<E extends AnyErrorSet, F, P>(
  { codes, stop, limits, budget, approval, countsReads = false }: ProtectOptions<E, F, P>,
  { effects }: Tool<F, P>,
): readonly CodeOf<E>[] {
  if (!countsReads && approval?.needs === undefined && !effects.some((effect) => EFFECTS[effect].mutates))
    return [];
  const roles: readonly (RefusalRole | false)[] = [
    "retry",
    "conflict",
    "unknownOutcome",
    limits !== undefined && "limit",
    budget !== undefined && "budget",
    stop !== undefined && "stopped",
    ...(approval === undefined ? [] : (["needsApproval", "rejected"] as const)),
  ];
  const used = codesFor(
    codes,
    roles.filter((role) => role !== false),
  );
  // `checkCodes` has found them in the set.
  return used as CodeOf<E>[];
}

/** Resolves what other processes left open, before the first change and then from time to time. */
function leftoversOf(recorded: RecordedRequests) {
  const resolvers = new WeakMap<GuardStorage, (signal: AbortSignal) => Promise<void>>();
  return async ({ clock, guardStorage }: ProtectDependencies, signal: AbortSignal): Promise<void> => {
    if (recorded.requests === undefined) return;
    let resolve = resolvers.get(guardStorage);
    if (resolve === undefined) {
      const look = leftoverResolver(
        (storage: GuardStorage, within) => resolverFor(recorded, clock, storage, within),
        () => clock.now(),
      );
      resolve = (within) => look(guardStorage, within);
      resolvers.set(guardStorage, resolve);
    }
    await resolve(signal);
  };
}

async function reportTo<F, P>(
  call: Call<F, P>,
  { clock, guardStorage }: ProtectDependencies,
  waitingCalls: WaitingCalls,
  queued: number | undefined,
): Promise<void> {
  await reportDecisions(waitingCalls, call.caller, {
    queued,
    decided: async (ids) =>
      (await guardStorage.decided(ids, MAX_REPORTED, clock.now())).map(reportedDecision),
    report: (decisions) => annotate(call, { decisions }),
  }).catch(() => {
    // The call itself has ended, whatever becomes of this.
    call.warn("Decisions about earlier calls could not be read.");
  });
}

/** A product's annotations are typed for its own guards; formats accept more members than these. */
function annotate<F, P>(call: Call<F, P>, annotations: JsonObject): void {
  (call.annotate as (annotations: JsonObject) => void)(annotations);
}

/** The action is part of what is approved. */
function toolOf({
  tool,
  action,
}: {
  readonly tool: { readonly name: string };
  readonly action: string | undefined;
}): string {
  return action === undefined ? tool.name : `${tool.name} ${action}`;
}
