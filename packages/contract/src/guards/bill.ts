import { type Failed, failed, type Outcome } from "@toolpact/outcome";
import type { JsonObject } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import type { BudgetCaps, BudgetLedger, LedgerHold, OverBudget, ReadPrice } from "./caps.ts";
import { type Micros, usdOf } from "./money.ts";

export interface Bill<Ledger extends BudgetLedger = BudgetLedger, Outage = never> {
  readonly callId: string;
  readonly tool: string;
  readonly by: string;
  /** Undefined without storage: requests are then only counted. */
  readonly ledger: Ledger | undefined;
  readonly caps: BudgetCaps;
  readonly now: () => number;
  readMicros: Micros;
  heldMicros: Micros;
  retries: number;
  requests: number;
  /** Requests without a known price. */
  unpriced: number;
  /** Why a read was not sent. */
  refusal: OverBudget | Outage | undefined;
}

export function newBill<Ledger extends BudgetLedger, Outage = never>(
  of: Pick<Bill<Ledger>, "callId" | "tool" | "by" | "ledger" | "caps" | "now">,
): Bill<Ledger, Outage> {
  return { ...of, readMicros: 0, heldMicros: 0, retries: 0, requests: 0, unpriced: 0, refusal: undefined };
}

/** A call's own cap applies to all its requests together. */
export function capsLeft({
  caps,
  readMicros,
  heldMicros,
}: Pick<Bill, "caps" | "readMicros" | "heldMicros">): BudgetCaps {
  return caps.perCall === undefined ? caps : { ...caps, perCall: caps.perCall - readMicros - heldMicros };
}

function ofWholeCall(
  over: OverBudget,
  { caps, readMicros, heldMicros }: Pick<Bill, "caps" | "readMicros" | "heldMicros">,
): OverBudget {
  if (over.cap !== "call" || caps.perCall === undefined) return over;
  return { ...over, capMicros: caps.perCall, neededMicros: over.neededMicros + readMicros + heldMicros };
}

export interface PaidRead<Answer, Refusal> {
  readonly operation: string;
  readonly estimate: Micros;
  readonly ask: () => Promise<Outcome<Answer, Refusal>>;
  readonly price: (answer: Answer) => ReadPrice;
}

/** Distinguishes an unavailable storage from a bug. */
export type IsOutage<Outage> = (error: unknown) => error is Outage;

/** Reserves money for a read, sends it and settles the cost. If undefined, `refusal` has the reason. */
export async function payForRead<Answer, Refusal, Outage>(
  bill: Bill<BudgetLedger, Outage>,
  { operation, estimate, ask, price }: PaidRead<Answer, Refusal>,
  isOutage: IsOutage<Outage>,
): Promise<Outcome<Answer, Refusal> | undefined> {
  const { ledger, callId, tool, by, now } = bill;
  if (ledger === undefined) {
    const outcome = await ask();
    // A rejected request is free.
    if (outcome.ok) bill.readMicros += price(outcome.value)()?.micros ?? 0;
    return outcome;
  }
  const requests = [{ operation, micros: estimate }];
  const held = await ledger
    .reserve({ callId, tool, by, requests, now: now() }, capsLeft(bill))
    .catch((error: unknown): Failed<{ readonly outage: Outage }> => {
      if (isOutage(error)) return failed({ outage: error });
      throw error;
    });
  if (!held.ok) {
    bill.refusal = "outage" in held.failure ? held.failure.outage : ofWholeCall(held.failure, bill);
    return undefined;
  }
  bill.heldMicros += estimate;
  const outcome = await ask();
  bill.heldMicros -= estimate;
  const settled = outcome.ok ? price(outcome.value) : undefined;
  for (const hold of held.value) bill.readMicros += await settle(ledger, hold, settled, isOutage);
  return outcome;
}

/** If settling fails, the reserved price stays in the ledger. */
async function settle<Outage>(
  ledger: BudgetLedger,
  hold: LedgerHold,
  price: ReadPrice | undefined,
  isOutage: IsOutage<Outage>,
): Promise<Micros> {
  try {
    return await ledger.settleRead(hold, price);
  } catch (error) {
    if (isOutage(error)) return hold.micros;
    throw error;
  }
}

export interface PaidWrites {
  readonly estimated: Micros;
  readonly paid: Micros | undefined;
}

export interface BilledOptions<Outage> {
  readonly annotate: (cost: JsonObject) => void;
  readonly writes: () => PaidWrites;
  readonly refuse: (why: OverBudget | Outage) => AnyOutcome;
  readonly isOutage: IsOutage<Outage>;
}

/** Runs a call with a bill, and adds its cost to the answer. */
export async function billed<Outage>(
  bill: Bill<BudgetLedger, Outage>,
  run: () => Promise<AnyOutcome>,
  { annotate, writes, refuse, isOutage }: BilledOptions<Outage>,
): Promise<AnyOutcome> {
  const outcome = await run();
  if (bill.requests > 0) annotate(await costAnnotations(bill, writes(), isOutage));
  return outcome.ok === false && bill.refusal !== undefined ? refuse(bill.refusal) : outcome;
}

async function costAnnotations<Outage>(
  bill: Bill<BudgetLedger, Outage>,
  { estimated, paid }: PaidWrites,
  isOutage: IsOutage<Outage>,
): Promise<JsonObject> {
  const { readMicros, unpriced, retries } = bill;
  const isSettled = bill.ledger !== undefined && paid !== undefined;
  return {
    cost: {
      // Once only, if both are equal.
      ...(!(isSettled && paid === estimated) && { estimated_usd: usdOf(estimated + readMicros) }),
      ...(isSettled && { settled_usd: usdOf(paid + readMicros) }),
      ...(unpriced > 0 && { unpriced_requests: unpriced }),
      ...(await spentNow(bill, isOutage)),
    },
    ...(retries > 0 && { retry_count: retries }),
  };
}

async function spentNow<Outage>(
  { ledger, now }: Pick<Bill, "ledger" | "now">,
  isOutage: IsOutage<Outage>,
): Promise<JsonObject> {
  if (ledger === undefined) return {};
  try {
    const { day, month } = await ledger.spent(now());
    return { day_usd: usdOf(day), ...(month !== day && { month_usd: usdOf(month) }) };
  } catch (error) {
    if (isOutage(error)) return {};
    throw error;
  }
}
