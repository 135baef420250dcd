import { type Call, type Guard, type JsonObject, type Next, ok } from "@toolpact/contract";
import type { OpenSession } from "../../storage/session.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { orStorageFailure, storageFailure } from "../../storage/storage-failure.ts";
import { costOf, type GuardOutcome, type MutationContext } from "../call-context.ts";
import { mutationContexts } from "../mutation-guard.ts";
import { ACCEPT_URL_PRICE } from "../receipts/call-identity.ts";
import { type Bill, type BudgetCaps, newBill, wouldExceed } from "./bill.ts";
import { budgetLedger } from "./ledger.ts";
import { bills } from "./metered-client.ts";
import { usdOf } from "./money.ts";
import { overBudget, urlPrice } from "./refusals.ts";

export interface BudgetOptions {
  readonly caps: BudgetCaps;
  readonly now: () => number;
  readonly session: OpenSession;
}

/**
 * Keeps every call within the caps of the operator and says what it cost. A surcharge needs the caller's consent. The
 * money for a mutation is reserved with its receipt; here it is only checked, so that no approval is asked for what
 * could not be paid.
 */
export function budgetGuard({ caps, now, session }: BudgetOptions): Guard<unknown, unknown, JsonObject> {
  return {
    name: "budget",
    codes: () => ["validation_error", "policy_denied_rate_limited", "policy_denied_user_rule", "db_error"],
    async run(call, next) {
      const context = mutationContexts.getStore();
      if (context?.rebuilds !== undefined || !call.tool.needs.includes("x")) return next();
      const opened = context === undefined ? await session(call.signal) : ok(context);
      // Where nobody is signed in, the tool itself will say so.
      if (!opened.ok) return opened.failure.code === "db_error" ? opened : next();
      return orStorageFailure(async () => {
        const refusal = context === undefined ? undefined : await refused(call, context, caps, now());
        if (refusal !== undefined) return refusal;
        const ledger = context?.ledger ?? budgetLedger(opened.value);
        return onBill(
          call,
          newBill({ callId: call.id, tool: call.tool.name, ledger, caps, now }),
          context,
          next,
        );
      });
    },
  };
}

async function onBill(
  call: Call<unknown, unknown, JsonObject>,
  bill: Bill,
  context: MutationContext | undefined,
  next: Next,
): Promise<GuardOutcome> {
  const outcome = await bills.run(bill, next);
  if (bill.requests > 0) {
    const writes = context === undefined ? 0 : costOf(context.mutation.requests);
    const paid = context === undefined ? 0 : context.paid;
    call.annotate({
      cost: {
        // By X's price list: X itself does not say, and charges a resource only once a day.
        estimated_usd: usdOf(writes + bill.readMicros),
        ...(paid !== undefined && { settled_usd: usdOf(paid + bill.readMicros) }),
        ...(bill.unpriced > 0 && { unpriced_requests: bill.unpriced }),
        ...(await spentNow(bill)),
      },
      ...(bill.retries > 0 && { retry_count: bill.retries }),
    });
  }
  // The tool has failed because a read was not sent.
  if (outcome.ok !== false || bill.refusal === undefined) return outcome;
  return bill.refusal instanceof StorageError ? storageFailure(bill.refusal) : overBudget(bill.refusal);
}

async function refused(
  { input }: Call<unknown, unknown, JsonObject>,
  { ledger, mutation: { requests, surcharge } }: MutationContext,
  caps: BudgetCaps,
  now: number,
): Promise<GuardOutcome | undefined> {
  if (surcharge !== undefined && input[ACCEPT_URL_PRICE] !== true) return urlPrice(surcharge);
  const over = await wouldExceed(ledger, costOf(requests), caps, now);
  return over === undefined ? undefined : overBudget(over);
}

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
