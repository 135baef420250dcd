import type { Caller } from "@toolpact/contract";
import type { Outcome } from "@toolpact/outcome";
import type { StorageError } from "../../storage/storage-error.ts";
import { clientName } from "../agents/agent.ts";

/** Money as the database stores it: whole millionths of a dollar, so that sums are exact. */
export type Micros = number;

export function microsOf(usd: number): Micros {
  return Math.round(usd * 1e6);
}

export function usdOf(micros: Micros): number {
  return micros / 1e6;
}

/** `$0.015` */
export function formatUsd(micros: Micros): string {
  return `$${usdOf(micros)}`;
}

/** The most that may be spent; undefined for no limit. */
export interface BudgetCaps {
  readonly perCall?: Micros | undefined;
  readonly perDay?: Micros | undefined;
  readonly perMonth?: Micros | undefined;
  /** Of the agent that makes the call. */
  readonly agent?: AgentCaps | undefined;
}

/** The most that one agent may spend, of what the account may. */
export interface AgentCaps {
  /** As the ledger names it. */
  readonly id: string;
  readonly perDay: Micros | undefined;
  readonly perMonth: Micros | undefined;
}

/** The money of one account, as the guards need it. Each method is atomic. */
export interface BudgetLedger {
  /** The account, if it owns the app: X charges it less for reading its own data. */
  readonly appOwnerId: string | undefined;
  /** What was spent and reserved today and this month. */
  readonly spent: (now: number) => Promise<Spent>;
  /** The same of one caller, for all accounts. */
  readonly spentBy: (caller: string, now: number) => Promise<Spent>;
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

export interface Spent {
  readonly day: Micros;
  readonly month: Micros;
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
 * What a read costs, and the resources it is charged for. A resource is charged once a day, so that the price depends
 * on what was charged before; undefined where no price is published.
 */
export type ReadPrice = (
  isCharged?: (resource: string) => boolean,
) => { readonly micros: Micros; readonly resources: readonly string[] } | undefined;

export interface OverBudget {
  readonly cap: "call" | "day" | "month";
  readonly capMicros: Micros;
  readonly neededMicros: Micros;
  /** When the cap opens again; undefined where waiting does not help. */
  readonly resetsAt: number | undefined;
  /** The agent whose own cap it is; undefined where it is that of the account. */
  readonly agent?: string;
}

/** What one call has requested so far, and what that costs. */
export interface Bill {
  readonly callId: string;
  readonly tool: string;
  /** Who makes the call. */
  readonly by: string;
  /** Undefined where nothing is stored: then requests are only counted. */
  readonly ledger: BudgetLedger | undefined;
  readonly caps: BudgetCaps;
  readonly now: () => number;
  readMicros: Micros;
  /** Reserved for reads that have not been answered yet. */
  heldMicros: Micros;
  retries: number;
  requests: number;
  /** Requests without a published price. */
  unpriced: number;
  /** Why a read was not sent. */
  refusal: OverBudget | StorageError | undefined;
}

/** A caller by its token, by the name that it gave itself, or by where it is. */
export function callerName(caller: Caller, isOwnCall?: boolean): string {
  const { client, transport } = caller;
  if (transport === "web") return `page: ${client ?? "somebody"}`;
  return clientName(caller, isOwnCall) ?? (transport === "cli" ? "command line" : transport);
}

/** What tuitbot asks by itself, such as what became of a request, or who is signed in. */
export const BY_ITSELF = "tuitbot";

export function newBill(of: Pick<Bill, "callId" | "tool" | "by" | "ledger" | "caps" | "now">): Bill {
  return { ...of, readMicros: 0, heldMicros: 0, retries: 0, requests: 0, unpriced: 0, refusal: undefined };
}

/** Caps for what a call still does: its own cap holds for all its requests together. */
export function capsLeft({ caps, readMicros, heldMicros }: Bill): BudgetCaps {
  return caps.perCall === undefined ? caps : { ...caps, perCall: caps.perCall - readMicros - heldMicros };
}

/** A refusal in terms of the whole call. */
export function ofWholeCall(over: OverBudget, { caps, readMicros, heldMicros }: Bill): OverBudget {
  if (over.cap !== "call" || caps.perCall === undefined) return over;
  return { ...over, capMicros: caps.perCall, neededMicros: over.neededMicros + readMicros + heldMicros };
}

/** The day and the month of a time by UTC, and when they end. */
export interface Periods {
  readonly day: string;
  readonly month: string;
  readonly dayEnds: number;
  readonly monthEnds: number;
}

export function periodsOf(now: number): Periods {
  const date = new Date(now);
  const iso = date.toISOString();
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    dayEnds: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1),
    monthEnds: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
  };
}

/** Which cap these requests would exceed now. */
export async function wouldExceed(
  ledger: BudgetLedger,
  neededMicros: Micros,
  { perCall, perDay, perMonth, agent }: BudgetCaps,
  now: number,
): Promise<OverBudget | undefined> {
  if (perCall !== undefined && neededMicros > perCall)
    return { cap: "call", capMicros: perCall, neededMicros, resetsAt: undefined };
  if (agent?.perDay !== undefined || agent?.perMonth !== undefined) {
    const over = overAgentCaps(agent, await ledger.spentBy(agent.id, now), neededMicros, now);
    if (over !== undefined) return over;
  }
  if (perDay === undefined && perMonth === undefined) return undefined;
  const spent = await ledger.spent(now);
  const { dayEnds, monthEnds } = periodsOf(now);
  if (perDay !== undefined && spent.day + neededMicros > perDay)
    return { cap: "day", capMicros: perDay, neededMicros, resetsAt: dayEnds };
  if (perMonth !== undefined && spent.month + neededMicros > perMonth)
    return { cap: "month", capMicros: perMonth, neededMicros, resetsAt: monthEnds };
  return undefined;
}

/** Which cap of an agent is in the way of what it needs, after what it has spent. */
export function overAgentCaps(
  { id, perDay, perMonth }: AgentCaps,
  spent: Spent,
  neededMicros: Micros,
  now: number,
): OverBudget | undefined {
  const { dayEnds, monthEnds } = periodsOf(now);
  if (perDay !== undefined && spent.day + neededMicros > perDay)
    return { cap: "day", capMicros: perDay, neededMicros, resetsAt: dayEnds, agent: id };
  if (perMonth !== undefined && spent.month + neededMicros > perMonth)
    return { cap: "month", capMicros: perMonth, neededMicros, resetsAt: monthEnds, agent: id };
  return undefined;
}
