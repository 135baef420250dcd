import type { CallContext, TuitbotGuard } from "../call/call-context.ts";
import { type BudgetDependencies, budgetCodes, capsFor, withBill } from "../mutation/budget.ts";

type Required = Pick<CallContext, "account" | "agent" | "isOwnCall" | "ledger">;
type Added = Pick<CallContext, "bill">;

/** Keeps what a call reads within the caps, and adds its cost to the answer. Mutations have `protect` instead. */
export const budget: TuitbotGuard<BudgetDependencies, Required, Added> = {
  name: "budget",
  codes: budgetCodes,
  run: (call, next, { caps, now }) =>
    withBill(call, { caps: capsFor(caps, call.context.agent), now }, (bill) =>
      next({ context: bill === undefined ? {} : { bill } }),
    ),
};

/** Adds the cost of a call to its answer, if nothing is stored and no caps apply. */
export const cost: TuitbotGuard<Pick<BudgetDependencies, "now">, object, Added> = {
  name: "cost",
  codes: () => [],
  run: (call, next, { now }) =>
    withBill(call, { caps: {}, now }, (bill) => next({ context: bill === undefined ? {} : { bill } })),
};
