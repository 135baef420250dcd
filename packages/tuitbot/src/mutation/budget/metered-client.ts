import { AsyncLocalStorage } from "node:async_hooks";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import {
  operations,
  type PriceAfter,
  type PriceContext,
  type ProviderError,
  priceAfter,
  priceBefore,
  type XClient,
} from "@toolpact/x-api";
import { StorageError } from "../../storage/storage-error.ts";
import type { Store } from "../../storage/store.ts";
import { transact } from "../../storage/transact.ts";
import { listIn, objectIn } from "../../x/shapes/x-object.ts";
import { jsonOf, type RawRequest, type SendToX } from "../../x/toolkit/raw-request.ts";
import { operationAt } from "../../x/toolkit/route.ts";
import { chargeRead } from "./billed.ts";
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
  /** Requests for which X publishes no price. */
  unpriced: number;
  /** Why a read was not sent. */
  refusal: OverBudget | StorageError | undefined;
}

export function newBill(whose: Pick<Bill, "callId" | "tool" | "store" | "account" | "caps" | "now">): Bill {
  return { ...whose, readMicros: 0, retries: 0, requests: 0, unpriced: 0, refusal: undefined };
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
      const outcome = await paidRead(bill, operation, microsOf(priceBefore(operation, args).usd), {
        ask: () => client.call<never>(operation, args),
        price: (answer, context) => priceAfter(operation, args, answer, context),
      });
      bill.retries += retriesOf(outcome);
      return outcome;
    },
  };
}

/** The same for requests in X's own terms. What X's table does not have has no price; it is counted, and said so. */
export function meteredSend(send: SendToX): SendToX {
  return async (request, signal) => {
    const bill = bills.getStore();
    if (bill === undefined) return send(request, signal);
    bill.requests += 1;
    if (request.method !== "GET") return send(request, signal);
    const route = operationAt(request.method, request.path);
    if (route === undefined) bill.unpriced += 1;
    const args = { path: route?.path ?? {}, query: queryOf(request) };
    const estimate = route === undefined ? 0 : microsOf(priceBefore(route.operation, args).usd);
    return paidRead(bill, route?.operation ?? "unlisted", estimate, {
      ask: () => send(request, signal),
      price: ({ text }, context) => {
        if (route === undefined) return undefined;
        const answer = objectIn(jsonOf(text));
        const included = objectIn(answer, "includes");
        const includes = Object.fromEntries(
          Object.keys(included).map((kind) => [kind, listIn(included, kind)]),
        );
        return priceAfter(route.operation, args, { data: answer.data, includes }, context);
      },
    });
  };
}

function queryOf({ query }: RawRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(query.map(({ key, value }) => [key, value]));
}

/** Sends a read with the money for it put aside, and settles what it came to. */
async function paidRead<T>(
  bill: Bill,
  operation: string,
  estimate: Micros,
  read: {
    readonly ask: () => Promise<Outcome<T, ProviderError>>;
    /** Undefined for what X publishes no price for. */
    readonly price: (answer: T, context?: PriceContext) => PriceAfter | undefined;
  },
): Promise<Outcome<T, ProviderError>> {
  const { store, account, caps, callId, tool, now } = bill;
  const requests = [{ operation, micros: estimate }];
  const held = await transact(store, (db) =>
    putAside(db, { account, callId, tool, requests, now: now() }, caps),
  ).catch(storageTrouble);
  if (!held.ok) {
    bill.refusal = held.failure;
    return failed({ kind: "forbidden", reason: "usage_capped", message: "The budget does not allow it." });
  }
  const outcome = await read.ask();
  for (const hold of held.value) {
    const settled = await transact(store, async (db) => {
      // X does not charge for what it refuses.
      const spent = outcome.ok
        ? await chargeRead(db, account, hold.at, (context) => read.price(outcome.value, context))
        : 0;
      await settleHold(db, account, hold, spent, !outcome.ok);
      return ok(spent);
    }).catch(storageTrouble);
    // The estimate otherwise stays in the ledger, which is on the safe side.
    bill.readMicros += settled.ok ? settled.value : hold.micros;
  }
  return outcome;
}

function storageTrouble(error: unknown) {
  if (error instanceof StorageError) return failed(error);
  throw error;
}

type ClientOutcome = Awaited<ReturnType<XClient["call"]>>;

function retriesOf(outcome: ClientOutcome): number {
  return (outcome.ok ? outcome.value.retries : outcome.failure.retries) ?? 0;
}
