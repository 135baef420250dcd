import type { Account, GeneralGuard, PlannedMutation } from "../call-context.ts";
import { type Settling, settleAll } from "./settle.ts";

export interface SettlingDependencies {
  readonly settlingFor: (account: Account, signal: AbortSignal) => Settling;
}

export interface LeftoverDependencies {
  /** Settles what earlier processes left behind; quick when there is nothing. */
  readonly settleLeftovers: (account: Account, signal: AbortSignal) => Promise<void>;
}

/** Settles what earlier processes left behind before anything new is sent. */
export const settleLeftovers: GeneralGuard<
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

/** Looks once before the first mutation, and then from time to time: other processes on the same database may die. */
export function leftoverSettler(
  settlingFor: SettlingDependencies["settlingFor"],
  now: () => number,
): LeftoverDependencies["settleLeftovers"] {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (account, signal) => {
    if (now() < nextAt) return;
    nextAt = now() + LOOK_AGAIN_MS;
    await settleAll(settlingFor(account, signal));
  };
}

const LOOK_AGAIN_MS = 60_000;
