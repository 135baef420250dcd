import {
  type Call,
  type Failed,
  type Failure,
  type Guard,
  type JsonObject,
  type Next,
  ok,
  type PlainExtras,
} from "@toolpact/contract";
import { parsePost, priceBefore } from "@toolpact/x-api";
import type { OpenSession } from "../../storage/session.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { orStorageFailure, storageFailure } from "../../storage/storage-failure.ts";
import type { Store } from "../../storage/store.ts";
import { type GuardOutcome, type MutationContext, mutationContexts } from "../call-context.ts";
import { costOf, type Mutation } from "../plan.ts";
import { ACCEPT_URL_PRICE } from "../receipts/call-identity.ts";
import { type BudgetCaps, type OverBudget, spentBy } from "./ledger.ts";
import { type Bill, bills, newBill } from "./metered-client.ts";
import { type Micros, microsOf, usdOf } from "./money.ts";
import { periodsOf } from "./periods.ts";
import { overBudget, urlPrice } from "./refusals.ts";

export interface BudgetOptions {
  readonly caps: () => BudgetCaps;
  readonly now: () => number;
  readonly session: OpenSession;
}

/**
 * Keeps every call within the caps of the operator and says what it cost. What X would bill as a post with a link
 * needs the caller's yes. The money for a mutation is put aside with its receipt; here it is only looked at, so that
 * no approval is asked for what could not be paid.
 */
export function budgetGuard({ caps, now, session }: BudgetOptions): Guard<PlainExtras> {
  return {
    name: "budget",
    codes: ["validation_error", "policy_denied_rate_limited", "policy_denied_user_rule", "db_error"],
    async around(call, next) {
      const context = mutationContexts.getStore();
      if (context?.rebuilds !== undefined || !call.tool.needs.includes("x")) return next();
      const kept = context === undefined ? await session(call.signal) : ok(context);
      // Where nobody is signed in, the tool itself will find out and say so.
      if (!kept.ok) return kept.failure.code === "db_error" ? kept : next();
      return orStorageFailure(async () => {
        const refusal = context === undefined ? undefined : await refused(call, context, caps(), now());
        if (refusal !== undefined) return refusal;
        const { store, account } = kept.value;
        const bill = newBill({ callId: call.id, tool: call.tool.name, store, account, caps: caps(), now });
        return onBill(call, bill, context, next);
      });
    },
  };
}

async function onBill(
  call: Call<PlainExtras>,
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
        // By X's price list; X itself does not say, and charges a resource only once a day.
        estimated_usd: usdOf(writes + bill.readMicros),
        ...(paid !== undefined && { settled_usd: usdOf(paid + bill.readMicros) }),
        ...(bill.unpriced > 0 && { unpriced_requests: bill.unpriced }),
        ...(await spentNow(bill)),
      },
      ...(bill.retries > 0 && { retry_count: bill.retries }),
    });
  }
  // The tool was told that X refused, which it did not: nothing was sent.
  if (outcome.ok !== false || bill.refusal === undefined) return outcome;
  return bill.refusal instanceof StorageError ? storageFailure(bill.refusal) : overBudget(bill.refusal);
}

async function refused(
  { input }: Call<PlainExtras>,
  { store, account, mutation }: MutationContext,
  caps: BudgetCaps,
  now: number,
): Promise<GuardOutcome | undefined> {
  const priced = linkPrice(input, mutation);
  if (priced !== undefined) return priced;
  const over = await wouldExceed(store, account, mutation, caps, now);
  return over === undefined ? undefined : overBudget(over);
}

/** What a link would cost, where the caller has not said yes to it. */
export function linkPrice(
  input: JsonObject,
  { posts, requests }: Pick<Mutation, "posts" | "requests">,
): Failed<Failure> | undefined {
  if (input[ACCEPT_URL_PRICE] === true) return undefined;
  const links = posts.flatMap(({ text }) => {
    const { billable_as, urls } = parsePost(text);
    return billable_as === "post_with_url" ? urls.map(({ url }) => url) : [];
  });
  return links.length === 0 ? undefined : urlPrice(links, costOf(requests), plainPost * posts.length);
}

const plainPost: Micros = microsOf(priceBefore("createPosts", { body: { text: "" } }).usd);

/** Which cap a mutation would exceed as things stand. */
export async function wouldExceed(
  store: Store,
  account: string,
  { requests }: Mutation,
  { perCall, perDay, perMonth }: BudgetCaps,
  now: number,
): Promise<OverBudget | undefined> {
  const neededMicros = costOf(requests);
  if (perCall !== undefined && neededMicros > perCall)
    return { cap: "call", capMicros: perCall, neededMicros, resetsAt: undefined };
  if (perDay === undefined && perMonth === undefined) return undefined;
  const spent = await spentBy(store.db, account, now);
  const { dayEnds, monthEnds } = periodsOf(now);
  if (perDay !== undefined && spent.day + neededMicros > perDay)
    return { cap: "day", capMicros: perDay, neededMicros, resetsAt: dayEnds };
  if (perMonth !== undefined && spent.month + neededMicros > perMonth)
    return { cap: "month", capMicros: perMonth, neededMicros, resetsAt: monthEnds };
  return undefined;
}

async function spentNow({ store, account, now }: Bill): Promise<PlainExtras> {
  try {
    const { day, month } = await spentBy(store.db, account, now());
    return { day_usd: usdOf(day), month_usd: usdOf(month) };
  } catch (error) {
    if (error instanceof StorageError) return {};
    throw error;
  }
}
