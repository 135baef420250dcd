import { type OperationId, type PricedCall, priceBefore } from "@toolpact/x-api";
import type { Session } from "../../storage/session.ts";
import { type BudgetCaps, spentBy } from "./ledger.ts";
import { microsOf } from "./money.ts";

/** How many things may be asked for so that even the dearest answer stays under the caps; `most` where there are none. */
export async function affordable(
  { store, account }: Session,
  caps: BudgetCaps,
  now: number,
  operation: OperationId,
  input: PricedCall,
  most: number,
): Promise<number> {
  const spent = await spentBy(store.db, account, now);
  const left = Math.min(
    caps.perCall ?? Number.POSITIVE_INFINITY,
    (caps.perDay ?? Number.POSITIVE_INFINITY) - spent.day,
    (caps.perMonth ?? Number.POSITIVE_INFINITY) - spent.month,
  );
  const one = priceBefore(operation, { ...input, query: { ...input.query, max_results: 1 } });
  return Math.min(most, Math.max(0, Math.floor(left / microsOf(one.usd))));
}
