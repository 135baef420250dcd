import type { Outcome } from "@toolpact/outcome";
import type { Micros } from "./money.ts";

/** The most that may be spent; undefined for no limit. */
export interface BudgetCaps {
  readonly perCall?: Micros | undefined;
  /** By UTC days and months. */
  readonly perDay?: Micros | undefined;
  readonly perMonth?: Micros | undefined;
  /** Caps of the caller. */
  readonly caller?: CallerCaps | undefined;
}

/** The most that one caller may spend, of what all may. */
export interface CallerCaps {
  /** As the ledger names them. */
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
  /** The same of one caller. */
  readonly spentBy: (caller: string, now: number) => Promise<Spent>;
}

/** Money that is reserved before a request and settled after it. Each method is atomic. */
export interface BudgetLedger extends SpendingRecord {
  /**
   * Reserves the money for requests, or says which cap is in the way. Calls that come together can never spend more
   * than a cap.
   */
  readonly reserve: (
    expense: Expense,
    caps: BudgetCaps,
  ) => Promise<Outcome<readonly LedgerHold[], OverBudget>>;
  /** Replaces the reserved price of a read by its real one, and returns that; undefined for a read that failed. */
  readonly settleRead: (hold: LedgerHold, price: ReadPrice | undefined) => Promise<Micros>;
}

/** Requests that are about to be paid for. */
export interface Expense {
  readonly callId: string;
  readonly tool: string;
  /** Who makes the call. */
  readonly by: string;
  /** The approval that released it: whoever asked for it then has made the call. */
  readonly approvalId?: number | undefined;
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  readonly now: number;
}

/** Money reserved for one request. */
export interface LedgerHold {
  readonly id: number;
  readonly micros: Micros;
  /** When it was reserved: it counts in the day and month of that time. */
  readonly at: number;
}

/**
 * The price of a read, and the resources it is charged for. A resource is charged once a day, so the price depends
 * on what was charged before; undefined where no price is known.
 */
export type ReadPrice = (
  isCharged?: (resource: string) => boolean,
) => { readonly micros: Micros; readonly resources: readonly string[] } | undefined;

/** A cap that is in the way. */
export interface OverBudget {
  readonly cap: "call" | "day" | "month";
  readonly capMicros: Micros;
  readonly neededMicros: Micros;
  /** When the cap opens again; undefined where waiting does not help. */
  readonly resetsAt: number | undefined;
  /** Money spent and reserved before, if that was looked up. */
  readonly spentMicros?: Micros;
  /** The caller whose own cap it is; undefined where it is that of all. */
  readonly caller?: string;
}

/** Which cap these requests would exceed now. */
export async function wouldExceed(
  record: SpendingRecord,
  neededMicros: Micros,
  { perCall, perDay, perMonth, caller }: BudgetCaps,
  now: number,
): Promise<OverBudget | undefined> {
  if (perCall !== undefined && neededMicros > perCall)
    return { cap: "call", capMicros: perCall, neededMicros, resetsAt: undefined };
  const ofCaller =
    caller && hasCaps(caller) && overCaps(caller, await record.spentBy(caller.id, now), neededMicros, now);
  if (ofCaller) return ofCaller;
  const ofAll = { perDay, perMonth };
  return hasCaps(ofAll) ? overCaps(ofAll, await record.spent(now), neededMicros, now) : undefined;
}

/** Whether what was spent has to be looked up at all. */
export function hasCaps({ perDay, perMonth }: Pick<BudgetCaps, "perDay" | "perMonth">): boolean {
  return perDay !== undefined || perMonth !== undefined;
}

/** Which of these caps is in the way of what is needed, after what was spent. `id` is set where they are a caller's. */
export function overCaps(
  { id, perDay, perMonth }: Partial<CallerCaps>,
  spent: Spent,
  neededMicros: Micros,
  now: number,
): OverBudget | undefined {
  const { dayEnds, monthEnds } = periodsOf(now);
  const whose = { neededMicros, ...(id !== undefined && { caller: id }) };
  if (perDay !== undefined && spent.day + neededMicros > perDay)
    return { cap: "day", capMicros: perDay, spentMicros: spent.day, resetsAt: dayEnds, ...whose };
  if (perMonth !== undefined && spent.month + neededMicros > perMonth)
    return { cap: "month", capMicros: perMonth, spentMicros: spent.month, resetsAt: monthEnds, ...whose };
  return undefined;
}

/** The day and the month of a time by UTC, when they begin and when they end. */
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

/** At most so many in so long. */
export interface Limit {
  readonly max: number;
  readonly periodMs: number;
}

/** The places that are taken under a limit, and since when they count. */
export interface LimitWindow {
  readonly used: number;
  readonly windowStart: number;
}

export interface LimitReached<Reached extends Limit = Limit> {
  readonly limit: Reached;
  /** When there is room again; undefined where more is needed than the limit ever allows. */
  readonly resetsAt: number | undefined;
}

/** Returns the limit that does not have this many more places. */
export function reachedLimit<Reached extends Limit>(
  limit: Reached,
  places: number,
  window: LimitWindow,
): LimitReached<Reached> | undefined {
  if (places > limit.max) return { limit, resetsAt: undefined };
  return window.used + places > limit.max ? { limit, resetsAt: windowEnd(limit, window) } : undefined;
}

/** The first limit that could not take these places even when it is unused. */
export function neverFits<Reached extends Limit>(
  limits: readonly Reached[],
  placesOf: (limit: Reached) => number,
): LimitReached<Reached> | undefined {
  const limit = limits.find((one) => placesOf(one) > one.max);
  return limit && { limit, resetsAt: undefined };
}

/** The window that counts now: one that has ended is empty, and the next begins with the first call. */
export function windowNow({ periodMs }: Limit, last: LimitWindow | undefined, now: number): LimitWindow {
  return last === undefined || now - last.windowStart >= periodMs ? { used: 0, windowStart: now } : last;
}

export function windowEnd({ periodMs }: Limit, { windowStart }: Pick<LimitWindow, "windowStart">): number {
  return windowStart + periodMs;
}
