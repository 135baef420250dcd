import { AsyncLocalStorage } from "node:async_hooks";
import { failed } from "@toolpact/contract/outcome";
import { operations, priceAfter, priceBefore, type XClient } from "@toolpact/x-api";
import { StorageError } from "../storage/storage-error.ts";
import type { Store } from "../storage/store.ts";
import { transact } from "../storage/transact.ts";
import { type BudgetCaps, type OverBudget, putAside, settleHold } from "./ledger.ts";
import { type Micros, microsOf } from "./money.ts";

/** What one call has asked of X so far. */
export interface Bill {
  readonly callId: string;
  readonly tool: string;
  readonly store: Store;
  readonly account: string;
  readonly caps: BudgetCaps;
  readonly now: () => number;
  readMicros: Micros;
  retries: number;
  requests: number;
  /** Why a read was not sent. */
  refusal: OverBudget | StorageError | undefined;
}

export function newBill(whose: Pick<Bill, "callId" | "tool" | "store" | "account" | "caps" | "now">): Bill {
  return { ...whose, readMicros: 0, retries: 0, requests: 0, refusal: undefined };
}

/** The bill of the call that is being carried out, for whatever runs on its behalf. */
export const bills: AsyncLocalStorage<Bill> = new AsyncLocalStorage();

/**
 * Puts every read on the bill of the call it is made for, and does not send what the budget does not allow. Writes
 * are paid for with their receipt, before the first of them leaves.
 */
export function meteredClient(client: XClient): XClient {
  return {
    ...client,
    async call(operation, args = {}) {
      const bill = bills.getStore();
      if (bill === undefined) return client.call<never>(operation, args);
      bill.requests += 1;
      if (operations[operation].method !== "GET") {
        const outcome = await client.call<never>(operation, args);
        bill.retries += retriesOf(outcome);
        return outcome;
      }
      const { store, account, caps, callId, tool, now } = bill;
      const requests = [{ operation, micros: microsOf(priceBefore(operation, args).usd) }];
      const held = await transact(store, (db) =>
        putAside(db, { account, callId, tool, requests, now: now() }, caps),
      ).catch(storageTrouble);
      if (!held.ok) {
        bill.refusal = held.failure;
        return failed({
          kind: "forbidden",
          reason: "usage_capped",
          message: "The budget does not allow it.",
        });
      }
      const outcome = await client.call<never>(operation, args);
      bill.retries += retriesOf(outcome);
      // X does not charge for what it refuses.
      const spent = outcome.ok ? microsOf(priceAfter(operation, args, outcome.value).usd) : 0;
      bill.readMicros += spent;
      const [hold] = held.value;
      if (hold !== undefined)
        await store
          .transaction((db) => settleHold(db, account, hold, spent, !outcome.ok))
          // The estimate then stays in the ledger, which is on the safe side.
          .catch(storageTrouble);
      return outcome;
    },
  };
}

function storageTrouble(error: unknown) {
  if (error instanceof StorageError) return failed(error);
  throw error;
}

type ClientOutcome = Awaited<ReturnType<XClient["call"]>>;

function retriesOf(outcome: ClientOutcome): number {
  return (outcome.ok ? outcome.value.retries : outcome.failure.retries) ?? 0;
}
