import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { AnyErrorSet, CodeOf } from "../errors.ts";
import type { Tool } from "../tool.ts";
import type { ApprovalPart } from "./approval.ts";
import type { BudgetCaps } from "./caps.ts";
import type { Journal } from "./journal.ts";
import { type Micros, microsOf } from "./money.ts";
import type { Receipt } from "./receipt.ts";
import type { RecordedRequests } from "./recorded-requests.ts";
import { codesFor, type RefusalCodes, type RefusalWords } from "./refusal-codes.ts";
import type { RateLimit, RefusalRole } from "./refusals.ts";
import type { GuardStorage, Needs } from "./storage.ts";

/** The parts of `protect`. All are optional; their order is fixed. */
export interface ProtectOptions<Errors extends AnyErrorSet, Facts = unknown, Plan = unknown> {
  /** The product's errors; all codes must be among them. */
  readonly errors: Errors;
  /** The codes of refusals: one for calls that can be retried, one for the others; finer ones are optional. */
  readonly codes: RefusalCodes<Errors>;
  /** Replaces the words of refusals. */
  readonly words?: RefusalWords<Receipt>;
  /** Returns why calls like this are stopped now, as a sentence. */
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
  /** The argument that identifies a call, or a function that returns the key. Default `idempotency_key`. */
  readonly key?: string | ((call: Call<Facts, Plan>) => string | undefined);
  /** How long an equal call without a key returns the first answer. Default 0. */
  readonly sameCallMs?: number | ((call: Call<Facts, Plan>) => number);
  /** Failure codes of the tool after which the outcome is unknown. A thrown error always counts. */
  readonly uncertain?: readonly Code[];
  /** False if nobody receives the answer: the next equal call returns it. Default: true unless canceled. */
  readonly isDelivered?: (call: Call<Facts, Plan>) => boolean;
}

/** Prices and caps in US dollars. */
export interface BudgetPart<Facts = unknown, Plan = unknown> extends SpendingCaps {
  readonly price: (call: Call<Facts, Plan>) => number;
  readonly usdPerCall?: number;
  /** Caps per caller, by their token's principal. */
  readonly ofCaller?: (call: Call<Facts, Plan>) => SpendingCaps;
}

/** Caps per UTC day and month, for all calls of the storage's scope. */
export interface SpendingCaps {
  readonly usdPerDay?: number;
  readonly usdPerMonth?: number;
}

/** Context of a guard that must not run after `protect`. */
export type Unprotected = object & { readonly protected?: never };

/** Context that `protect` adds. */
export interface ProtectedCall {
  readonly protected: true;
  /** Records requests before they are sent, if `once.requests` is set. */
  readonly journal?: Pick<Journal, "beforeSend"> | undefined;
  readonly receiptId?: string | undefined;
  readonly itemId?: number | undefined;
}

/** Needed by `protect` when its stack is bound. */
export interface ProtectDependencies {
  readonly clock: Clock;
  readonly guardStorage: GuardStorage;
}

/** True if `protect` applies to a call: it changes something, is counted, or needs approval. */
export function isGuarded<E extends AnyErrorSet, F, P>(
  { approval, countsReads = false }: ProtectOptions<E, F, P>,
  call: Call<F, P>,
): boolean {
  return (
    EFFECTS[call.effect].mutates ||
    (typeof countsReads === "function" ? countsReads(call) : countsReads) ||
    approval?.needs?.(call) === true
  );
}

export function needsApproval<Facts, Plan>(
  approval: ApprovalPart<Facts, Plan> | undefined,
  call: Call<Facts, Plan>,
): boolean {
  return approval !== undefined && (approval.needs?.(call) ?? EFFECTS[call.effect].mutates);
}

export function needsOf<E extends AnyErrorSet, F, P>(
  { limits, budget }: ProtectOptions<E, F, P>,
  call: Call<F, P>,
): Needs {
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

export function codesOf<E extends AnyErrorSet, F, P>(
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
  return used as CodeOf<E>[];
}
