import type { AnyOutcome, JsonObject, Next } from "@toolpact/contract";
import { StorageError } from "../../storage/storage-error.ts";
import { storageFailure } from "../../storage/storage-failure.ts";
import {
  type Account,
  type CallContext,
  costOf,
  type GeneralCall,
  type GeneralGuard,
  type PlannedMutation,
  takesKey,
} from "../call-context.ts";
import { ACCEPT_URL_PRICE } from "../receipts/call-identity.ts";
import { type Bill, type BudgetCaps, newBill, wouldExceed } from "./bill.ts";
import { usdOf } from "./money.ts";
import { overBudget, urlPrice } from "./refusals.ts";

export interface BudgetDependencies {
  readonly caps: BudgetCaps;
  readonly now: () => number;
}

type Required = Pick<CallContext, "account" | "planned" | "replayed">;

/**
 * Keeps every call within the caps of the operator and says what it cost. A surcharge needs the caller's consent. The
 * money for a mutation is reserved with its receipt; here it is only checked, so that no approval is asked for what
 * could not be paid.
 */
export const budget: GeneralGuard<BudgetDependencies, Required, Pick<CallContext, "bill">> = {
  name: "budget",
  codes: (tool) => {
    if (!tool.needs.includes("x")) return [];
    const caps = ["policy_denied_rate_limited", "policy_denied_user_rule", "db_error"];
    return takesKey(tool) ? [...caps, "validation_error"] : caps;
  },
  async run(call, next, { caps, now }) {
    const { account, planned, replayed } = call.context;
    if (replayed !== undefined || !call.tool.needs.includes("x")) return next();
    const refusal =
      account === undefined || planned === undefined
        ? undefined
        : await refused(call, account, planned, caps, now());
    if (refusal !== undefined) return refusal;
    return withBill(call, next, { caps, now });
  },
};

/** Says what a call cost, where nothing is stored and no caps apply. */
export const cost: GeneralGuard<Pick<BudgetDependencies, "now">, object, Pick<CallContext, "bill">> = {
  name: "cost",
  codes: () => [],
  run: (call, next, { now }) => withBill(call, next, { caps: {}, now }),
};

async function withBill(
  call: GeneralCall<Required>,
  next: Next<Pick<CallContext, "bill">>,
  { caps, now }: BudgetDependencies,
): Promise<AnyOutcome> {
  const { account, planned } = call.context;
  const bill = newBill({ callId: call.id, tool: call.tool.name, ledger: account?.ledger, caps, now });
  const outcome = await next({ context: { bill } });
  if (bill.requests > 0) call.annotate(await annotationsOf(bill, planned));
  // The tool has failed because a read was not sent.
  if (outcome.ok !== false || bill.refusal === undefined) return outcome;
  return bill.refusal instanceof StorageError ? storageFailure(bill.refusal) : overBudget(bill.refusal);
}

async function refused(
  { input }: GeneralCall<Required>,
  { ledger }: Account,
  { mutation: { requests, surcharge } }: PlannedMutation,
  caps: BudgetCaps,
  now: number,
): Promise<AnyOutcome | undefined> {
  if (surcharge !== undefined && input[ACCEPT_URL_PRICE] !== true) return urlPrice(surcharge);
  const over = await wouldExceed(ledger, costOf(requests), caps, now);
  return over === undefined ? undefined : overBudget(over);
}

/** By X's price list: X itself does not say, and charges a resource only once a day. */
async function annotationsOf(bill: Bill, planned: PlannedMutation | undefined): Promise<JsonObject> {
  const { readMicros, unpriced, retries } = bill;
  const { estimated, paid } = planned === undefined ? NO_WRITES : planned.record;
  return {
    cost: {
      estimated_usd: usdOf(estimated + readMicros),
      ...(bill.ledger !== undefined && paid !== undefined && { settled_usd: usdOf(paid + readMicros) }),
      ...(unpriced > 0 && { unpriced_requests: unpriced }),
      ...(await spentNow(bill)),
    },
    ...(retries > 0 && { retry_count: retries }),
  };
}

const NO_WRITES = { estimated: 0, paid: 0 };

async function spentNow({ ledger, now }: Bill): Promise<JsonObject> {
  if (ledger === undefined) return {};
  try {
    const { day, month } = await ledger.spent(now());
    return { day_usd: usdOf(day), month_usd: usdOf(month) };
  } catch (error) {
    if (error instanceof StorageError) return {};
    throw error;
  }
}
