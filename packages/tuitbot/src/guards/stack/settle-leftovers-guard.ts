import type { Resolver } from "@toolpact/contract/guards";
import type { XBill } from "../budget/bill.ts";
import type { Account, PlannedMutation, TuitbotGuard } from "../call/call-context.ts";

export interface SettlingDependencies {
  /** What is read back is put on the bill too, where one is given. */
  readonly settlingFor: (account: Account, signal: AbortSignal, bill?: XBill) => Resolver;
}

export interface LeftoverDependencies {
  /** Settles what earlier processes left behind; quick when there is nothing. */
  readonly settleLeftovers: (account: Account, signal: AbortSignal) => Promise<void>;
}

/** Settles what earlier processes left behind before anything new is sent. */
export const settleLeftovers: TuitbotGuard<
  LeftoverDependencies,
  { readonly account: Account; readonly planned: PlannedMutation | undefined }
> = {
  name: "settle leftovers",
  codes: () => [],
  async run(call, next, dependencies) {
    const { account, planned } = call.context;
    if (planned !== undefined) await dependencies.settleLeftovers(account, call.signal);
    return next();
  },
};
