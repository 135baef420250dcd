import { AsyncLocalStorage } from "node:async_hooks";
import type { Guard, JsonObject } from "@toolpact/contract";
import { priceAfter, type XClient } from "@toolpact/x-api";

/** What one call has used of X so far. */
interface Bill {
  requests: number;
  usd: number;
  retries: number;
}

/** Puts every request to X on the bill of the call it was made for. */
export interface Spending {
  readonly metered: (client: XClient) => XClient;
  /** Says in the answer's metadata what the call has cost and how often X had to be asked again. */
  readonly guard: Guard<unknown, unknown, JsonObject>;
}

export function createSpending(): Spending {
  const bills = new AsyncLocalStorage<Bill>();
  return {
    metered: (client) => ({
      ...client,
      async call(operation, args = {}) {
        const outcome = await client.call<never>(operation, args);
        const bill = bills.getStore();
        if (bill === undefined) return outcome;
        bill.requests += 1;
        bill.retries += (outcome.ok ? outcome.value.retries : outcome.failure.retries) ?? 0;
        // X does not charge for what it refuses.
        if (outcome.ok) bill.usd += priceAfter(operation, args, outcome.value).usd;
        return outcome;
      },
    }),
    guard: {
      name: "spending",
      codes: () => [],
      run(call, next) {
        const bill: Bill = { requests: 0, usd: 0, retries: 0 };
        return bills.run(bill, async () => {
          try {
            return await next();
          } finally {
            if (bill.requests > 0) call.annotate(noted(bill));
          }
        });
      },
    },
  };
}

function noted({ usd, retries }: Bill): JsonObject {
  return {
    // By X's price list; X itself does not say, and charges a resource only once a day.
    cost: { estimated_usd: Math.round(usd * 1e6) / 1e6 },
    ...(retries > 0 && { retry_count: retries }),
  };
}
