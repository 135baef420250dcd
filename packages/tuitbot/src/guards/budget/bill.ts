import { parseJson } from "@toolpact/contract/internal";
import {
  type Bill,
  type BudgetCaps,
  type BudgetLedger,
  payForRead,
  type ReadPrice,
} from "@toolpact/contract/internal/guards";
import { type Micros, microsOf } from "@toolpact/contract/internal/money";
import { failed, type Outcome } from "@toolpact/outcome";
import {
  notSent,
  type OperationId,
  operationAt,
  operations,
  type PriceAfter,
  type PriceContext,
  type PricedCall,
  type ProviderError,
  priceAfter,
  priceBefore,
  type RawRequest,
  type RawSender,
  type XClient,
} from "@toolpact/x-api";
import { StorageError } from "../../storage/storage-error.ts";
import { listIn, objectIn } from "../../x/shapes/x-object.ts";

export interface AccountLedger extends BudgetLedger {
  /** Set if the account owns the app, whose own data costs less. */
  readonly appOwnerId: string | undefined;
}

/** The reads and writes of one call. */
export type XBill = Bill<AccountLedger, StorageError>;

export function isOutage(error: unknown): error is StorageError {
  return error instanceof StorageError;
}

/** Such as reading back or asking who is signed in. */
export const BY_ITSELF = "tuitbot";

/** Sends no read that the budget does not allow. Writes are paid with their receipt. */
export function meteredClient(client: XClient, bill: XBill): XClient {
  return {
    ...client,
    async call(operation, args = {}) {
      bill.requests += 1;
      const ask = () => client.call<never>(operation, args);
      const owner = ownerOf(bill);
      const price = (answer: PriceAnswer, context?: PriceContext) =>
        priceAfter(operation, args, answer, { ...owner, ...context });
      const isRead = operations[operation].method === "GET";
      const outcome = await (isRead
        ? paidRead(bill, operation, microsOf(priceBefore(operation, args, owner).usd), { ask, price })
        : ask());
      bill.retries += (outcome.ok ? outcome.value.retries : outcome.failure.retries) ?? 0;
      // No ledger means no receipt.
      if (bill.ledger === undefined && !isRead && outcome.ok)
        bill.readMicros += microsOf(price(outcome.value).usd);
      return outcome;
    },
  };
}

function ownerOf({ ledger }: XBill): PriceContext {
  return ledger?.appOwnerId === undefined ? {} : { appOwnerId: ledger.appOwnerId };
}

type PriceAnswer = Parameters<typeof priceAfter>[2];

/** Requests outside X's operation table have no price, and count as such. */
export function meteredSend(send: RawSender, bill: XBill): RawSender {
  return async (request, args) => {
    bill.requests += 1;
    if (request.method !== "GET") return send(request, args);
    const route = operationAt(request.method, request.path);
    if (route === undefined) bill.unpriced += 1;
    const input = { path: route?.path ?? {}, query: queryOf(request) };
    const estimate =
      route === undefined ? 0 : microsOf(priceBefore(route.operation, input, ownerOf(bill)).usd);
    return paidRead(bill, route?.operation ?? "unlisted", estimate, {
      ask: () => send(request, args),
      price: ({ text }, context) => {
        if (route === undefined) return undefined;
        const answer = objectIn(parseJson(text));
        const included = objectIn(answer, "includes");
        const includes = Object.fromEntries(
          Object.keys(included).map((kind) => [kind, listIn(included, kind)]),
        );
        return priceAfter(
          route.operation,
          input,
          { data: answer.data, includes },
          { ...ownerOf(bill), ...context },
        );
      },
    });
  };
}

function queryOf({ query }: RawRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(query.map(({ key, value }) => [key, value]));
}

/** Reserves the money first. */
async function paidRead<T>(
  bill: XBill,
  operation: string,
  estimate: Micros,
  read: {
    readonly ask: () => Promise<Outcome<T, ProviderError>>;
    /** Undefined if unpublished. */
    readonly price: (answer: T, context?: PriceContext) => PriceAfter | undefined;
  },
): Promise<Outcome<T, ProviderError>> {
  const outcome = await payForRead(
    bill,
    {
      operation,
      estimate,
      ask: read.ask,
      price: (answer) => readPrice((context) => read.price(answer, context)),
    },
    isOutage,
  );
  return outcome ?? failed(notSent("budget", "The request was not sent: the budget does not allow it."));
}

export function readPrice(priced: (context?: PriceContext) => PriceAfter | undefined): ReadPrice {
  return (billedToday) => {
    const price = priced(billedToday && { billedToday });
    return price && { micros: microsOf(price.usd), resources: price.billed };
  };
}

/** As many as the caps allow at the highest possible price. */
export async function affordable(
  ledger: AccountLedger,
  caps: BudgetCaps,
  now: number,
  operation: OperationId,
  input: PricedCall,
  most: number,
): Promise<number> {
  const spent = await ledger.spent(now);
  const left = Math.min(
    caps.perCall ?? Number.POSITIVE_INFINITY,
    (caps.perDay ?? Number.POSITIVE_INFINITY) - spent.day,
    (caps.perMonth ?? Number.POSITIVE_INFINITY) - spent.month,
  );
  const one = priceBefore(
    operation,
    { ...input, query: { ...input.query, max_results: 1 } },
    ledger.appOwnerId === undefined ? {} : { appOwnerId: ledger.appOwnerId },
  );
  return Math.min(most, Math.max(0, Math.floor(left / microsOf(one.usd))));
}
