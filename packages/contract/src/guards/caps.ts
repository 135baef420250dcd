import type { Outcome } from "@toolpact/outcome";
import type { Micros } from "./money.ts";

/** Spending limits; undefined for none. */
export interface BudgetCaps {
  readonly perCall?: Micros | undefined;
  /** By UTC day and month. */
  readonly perDay?: Micros | undefined;
  readonly perMonth?: Micros | undefined;
  /** Caps of the caller. */
  readonly caller?: CallerCaps | undefined;
}

/** One caller's share of the total limit. */
export interface CallerCaps {
  /** Id in the ledger. */
  readonly id: string;
  readonly perDay?: Micros | undefined;
  readonly perMonth?: Micros | undefined;
}

/** Money spent and reserved today and this month, by UTC. */
export interface Spent {
  readonly day: Micros;
  readonly month: Micros;
}

/** The record of money spent. */
export interface SpendingRecord {
  readonly spent: (now: number) => Promise<Spent>;
  /** The same for one caller. */
  readonly spentBy: (caller: string, now: number) => Promise<Spent>;
}

/** Money is reserved before a request and settled after it. Each method is atomic. */
export interface BudgetLedger extends SpendingRecord {
  /**
   * Reserves money for requests, or returns the exceeded cap. Concurrent calls cannot exceed
   * a cap together.
   */
  readonly reserve: (
    expense: Expense,
    caps: BudgetCaps,
  ) => Promise<Outcome<readonly LedgerHold[], OverBudget>>;
  /** Replaces a read's reserved price with the real one and returns it; undefined for a failed read. */
  readonly settleRead: (hold: LedgerHold, price: ReadPrice | undefined) => Promise<Micros>;
}

/** Requests about to be paid for. */
export interface Expense {
  readonly callId: string;
  readonly tool: string;
  readonly by: string;
  /** The approval that released it: the call then belongs to the person or agent that requested it. */
  readonly approvalId?: number | undefined;
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  readonly now: number;
}

/** Money reserved for one request. */
export interface LedgerHold {
  readonly id: number;
  readonly micros: Micros;
  /** The time of reservation: it counts for that day and month. */
  readonly at: number;
}

/**
 * The price of a read, and the resources it is charged for. A resource is charged once a day, so the price depends
 * on earlier charges; undefined if the price is unknown.
 */
export type ReadPrice = (
  isCharged?: (resource: string) => boolean,
) => { readonly micros: Micros; readonly resources: readonly string[] } | undefined;

/** An exceeded cap. */
export interface OverBudget {
  readonly cap: "call" | "day" | "month";
  readonly capMicros: Micros;
  readonly neededMicros: Micros;
  /** When the cap resets; undefined if waiting does not help. */
  readonly resetsAt: number | undefined;
  /** Money already spent and reserved, if it was looked up. */
  readonly spentMicros?: Micros;
  /** The caller whose cap it is; undefined for the global cap. */
  readonly caller?: string;
}

/** Returns the cap these requests would exceed now. */
export async function wouldExceed(
  record: SpendingRecord,
  neededMicros: Micros,
  { perCall, perDay, perMonth, caller }: BudgetCaps,
  now: number,
): Promise<OverBudget | undefined> {
  if (perCall !== undefined && neededMicros > perCall)
    return { cap: "call", capMicros: perCall, neededMicros, resetsAt: undefined };
  const ofCaller =
    caller && hasCaps(caller)
      ? overCaps(caller, await record.spentBy(caller.id, now), neededMicros, now)
      : undefined;
  const all = { perDay, perMonth };
  const ofAll = hasCaps(all) ? overCaps(all, await record.spent(now), neededMicros, now) : undefined;
  return lastToReset([ofCaller, ofAll]);
}

/** Returns the refusal that lasts longest, the first of equal ones: waiting for it ends the others too. */
export function lastToReset<Refused extends { readonly resetsAt: number | undefined }>(
  refused: readonly (Refused | undefined)[],
): Refused | undefined {
  const ends = ({ resetsAt = Number.POSITIVE_INFINITY }: Refused) => resetsAt;
  return refused
    .filter((one) => one !== undefined)
    .reduce<Refused | undefined>(
      (last, one) => (last === undefined || ends(one) > ends(last) ? one : last),
      undefined,
    );
}

/** True if spending must be looked up at all. */
export function hasCaps({ perDay, perMonth }: Pick<BudgetCaps, "perDay" | "perMonth">): boolean {
  return perDay !== undefined || perMonth !== undefined;
}

/** Returns the cap exceeded by this need on top of past spending. `id` is set for a caller's caps. */
export function overCaps(
  { id, perDay, perMonth }: Partial<CallerCaps>,
  spent: Spent,
  neededMicros: Micros,
  now: number,
): OverBudget | undefined {
  const { dayEnds, monthEnds } = periodsOf(now);
  const over = (cap: "day" | "month", capMicros: Micros | undefined, ends: number): OverBudget | undefined =>
    capMicros !== undefined && spent[cap] + neededMicros > capMicros
      ? {
          cap,
          capMicros,
          spentMicros: spent[cap],
          neededMicros,
          resetsAt: neededMicros > capMicros ? undefined : ends,
          ...(id !== undefined && { caller: id }),
        }
      : undefined;
  return lastToReset([over("day", perDay, dayEnds), over("month", perMonth, monthEnds)]);
}

/** The UTC day and month of a time, with start and end. */
export interface Periods {
  /** `2026-09-15` */
  readonly day: string;
  /** `2026-09` */
  readonly month: string;
  readonly dayBegins: number;
  readonly monthBegins: number;
  readonly dayEnds: number;
  readonly monthEnds: number;
}

export function periodsOf(now: number): Periods {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const iso = date.toISOString();
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    dayBegins: Date.UTC(year, month, day),
    monthBegins: Date.UTC(year, month),
    dayEnds: Date.UTC(year, month, day + 1),
    monthEnds: Date.UTC(year, month + 1),
  };
}

/** A maximum number per period. */
export interface Limit {
  readonly max: number;
  readonly periodMs: number;
}

/** Used slots of a limit, and the start of the window. */
export interface LimitWindow {
  readonly used: number;
  readonly windowStart: number;
}

export interface LimitReached<Reached extends Limit = Limit> {
  readonly limit: Reached;
  /** When slots are free again; undefined if more are needed than the limit allows. */
  readonly resetsAt: number | undefined;
}

/** Returns the first limit too small for this many slots even when unused. */
export function neverFits<Reached extends Limit>(
  limits: readonly Reached[],
  placesOf: (limit: Reached) => number,
): LimitReached<Reached> | undefined {
  const limit = limits.find((one) => placesOf(one) > one.max);
  return limit && { limit, resetsAt: undefined };
}

/** The current window: an expired one is empty, and the next starts with the first call. */
export function windowNow({ periodMs }: Limit, last: LimitWindow | undefined, now: number): LimitWindow {
  return last === undefined || now - last.windowStart >= periodMs ? { used: 0, windowStart: now } : last;
}

export function windowEnd({ periodMs }: Limit, { windowStart }: Pick<LimitWindow, "windowStart">): number {
  return windowStart + periodMs;
}
