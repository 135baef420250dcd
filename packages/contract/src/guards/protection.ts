import { randomUUID } from "node:crypto";
import { ok } from "@toolpact/outcome";
import type { Call, Next } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { AnyErrorSet, Failure } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import { requireApproval } from "./approval.ts";
import { isUnknown } from "./idempotency.ts";
import type { Decided, ProtectedSteps } from "./protect.ts";
import {
  needsApproval,
  needsOf,
  type OncePart,
  type ProtectDependencies,
  type ProtectedCall,
  type ProtectOptions,
} from "./protect-options.ts";
import type { HeldReceipt, Receipt } from "./receipt.ts";
import { LATE_EFFECT_MS, LEASE_MS, PLAIN_RULES, renewing, resolverFor } from "./recorded-requests.ts";
import { codeFor, refuse } from "./refusal-codes.ts";
import type { ClaimRefusal, Refusal } from "./refusals.ts";
import {
  type ReceiptRun,
  type RunWithJournal,
  rebuildAnswer,
  resolveEarlier,
  runWithReceipt,
  UNSTORED_WARNING,
} from "./run-with-receipt.ts";
import type { Claim, GuardStorage } from "./storage.ts";

export class Protection<Errors extends AnyErrorSet, Facts, Plan>
  implements ProtectedSteps<number | undefined>
{
  waitsFor: number | undefined;
  private readonly options: ProtectOptions<Errors, Facts, Plan>;
  private readonly call: Call<Facts, Plan>;
  private readonly next: Next<ProtectedCall>;
  private readonly clock: Clock;
  private readonly storage: GuardStorage;
  private readonly tool: string;
  private readonly expectedSteps: number;
  /** A counted read may run again at any time, so its outcome is always known and its answer is not stored. */
  private readonly isRead: boolean;
  private readonly receiptRun: ReceiptRun<Receipt, ClaimRefusal>;
  private readonly resolveOpen: () => Promise<void>;
  private readonly released: number | undefined;
  /** Found together with repeats. */
  private usedUp: ClaimRefusal | undefined;
  private itemId: number | undefined;

  constructor(
    options: ProtectOptions<Errors, Facts, Plan>,
    call: Call<Facts, Plan>,
    next: Next<ProtectedCall>,
    { clock, guardStorage }: ProtectDependencies,
    resolveOpen: () => Promise<void>,
  ) {
    this.options = options;
    this.call = call;
    this.next = next;
    this.clock = clock;
    this.storage = guardStorage;
    this.tool = toolOf(call);
    this.expectedSteps = options.once?.requests?.(call) ?? 0;
    this.isRead = !EFFECTS[call.effect].mutates && !needsApproval(options.approval, call);
    this.resolveOpen = resolveOpen;
    this.released = options.approval?.released?.(call);
    this.receiptRun = this.planReceipt();
  }

  async resolveLeftovers(): Promise<void> {
    if (EFFECTS[this.call.effect].mutates) await this.resolveOpen();
  }

  /** Skipped if the claim, which checks the same in one transaction, is next. */
  async answerRepeat(): Promise<AnyOutcome | undefined> {
    if (!this.asks && this.options.stop === undefined) return undefined;
    const trial = await this.storage.claim({ ...this.claim(), isTrial: true });
    if (trial.ok) return undefined;
    if (trial.failure.kind !== "repeat") {
      this.usedUp = trial.failure;
      return undefined;
    }
    const earlier = await resolveEarlier(this.receiptRun, trial.failure.earlier);
    switch (earlier.kind) {
      case "refused":
        return this.refuse(earlier.refusal);
      case "done_before":
        return this.answerAgain(earlier.receipt);
      case "proceed":
        return this.answerRepeat();
    }
  }

  async refuseStopped(): Promise<AnyOutcome | undefined> {
    const why = await this.options.stop?.(this.call);
    return why === undefined ? undefined : this.refuse({ kind: "stopped", why });
  }

  async refuseEarly(): Promise<AnyOutcome | undefined> {
    return this.usedUp && this.refuse(this.usedUp);
  }

  async decide(): Promise<Decided<number | undefined>> {
    const { call, tool, clock, storage, released } = this;
    const { approval } = this.options;
    if (approval === undefined || !this.asks) return { kind: "allowed", allowed: released };
    const decided = await requireApproval(approval, call, { ...this.identity(), tool }, { clock, storage });
    switch (decided.kind) {
      case "asks":
        return { kind: "answered", outcome: decided.asks };
      case "refused":
        return { kind: "answered", outcome: this.refuse(decided.refusal) };
      case "approved":
        return { kind: "allowed", allowed: decided.itemId };
    }
  }

  private get asks(): boolean {
    return this.released === undefined && needsApproval(this.options.approval, this.call);
  }

  async run(itemId: number | undefined): Promise<AnyOutcome> {
    this.itemId = itemId;
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

  /** Returns the first answer. A lost one is rebuilt from recorded requests, unless a person resolved the call. */
  private async answerAgain(receipt: Receipt): Promise<AnyOutcome> {
    const { id, result, expectedSteps, settledBy } = receipt;
    annotate(this.call, { replayed: true, receipt_id: id });
    // Serialized from this tool's value.
    if (result !== undefined) return this.delivered(ok(JSON.parse(result) as Json), id);
    if (expectedSteps === 0 || settledBy !== undefined) {
      // The caller gets the result now, so the next equal call without a key is new.
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
    const { errors, codes } = this.options;
    const { uncertain = [], ...once }: OncePart<string, Facts, Plan> = this.options.once ?? {};
    const resolver = resolverFor(once, clock, storage, call.signal);
    // Recorded requests show whether a failed call has acted.
    const isUncertain = (failure: Failure) =>
      uncertain.includes(failure.code) || (expectedSteps === 0 && isUnknown(failure, call.signal));
    /** Another caller's approval may have released the call; then this caller cannot resolve it. */
    const canResolve = (receipt: Receipt | HeldReceipt) =>
      "principal" in receipt
        ? receipt.expectedSteps > 0 && receipt.principal === (call.caller.principal ?? "")
        : expectedSteps > 0 && once.readBack !== undefined;
    return {
      storage,
      claim: async () => {
        const { itemId } = this;
        if (itemId === undefined) return storage.claim(this.claim());
        const { binds, people } = this.options.approval ?? {};
        const approved = { itemId, context: await binds?.(call), peopleNeeded: people?.(call) };
        return storage.claim({ ...this.claim(), ...approved });
      },
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
        lateEffectMs: once.lateEffectMs ?? LATE_EFFECT_MS,
        time: resolver.time,
      },
      resolverFor: (receipt) => (canResolve(receipt) ? resolver : undefined),
      retryCode: (code) =>
        errors.rows[code]?.retryable === true ? code : codeFor(codes, "retry", "checking_outcome"),
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

/** Annotations are typed for the product's guards; formats accept more members. */
export function annotate<F, P>(call: Call<F, P>, annotations: JsonObject): void {
  (call.annotate as (annotations: JsonObject) => void)(annotations);
}

function toolOf({ tool, action }: Pick<Call, "tool" | "action">): string {
  return action === undefined ? tool.name : `${tool.name} ${action}`;
}
