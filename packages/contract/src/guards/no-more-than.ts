import { type Call, guard } from "../call.ts";
import type { Failure } from "../errors.ts";
import type { BudgetCaps } from "./budget.ts";
import { type Micros, microsOf } from "./money.ts";
import type { RateLimit } from "./refusals.ts";
import type { Needs, NotClaimed } from "./storage.ts";

export interface NoMoreThanOptions extends SpendingCaps {
  /** What a call costs, in US dollars; nothing unless given. */
  readonly price?: (call: Pick<Call, "tool" | "action" | "input">) => number;
  /** The most that a single call may cost. */
  readonly usdPerCall?: number;
  /** What each caller may spend of that, by the principal of their token. */
  readonly ofCaller?: (call: Pick<Call, "caller">) => SpendingCaps;
  readonly limits?: (call: Pick<Call, "tool" | "action" | "caller">) => readonly RateLimit[];
}

/** By UTC days and months, of all calls of the storage's scope together. */
export interface SpendingCaps {
  readonly usdPerDay?: number;
  readonly usdPerMonth?: number;
}

/** What a call takes, for the guard that stores its receipt. */
export interface CallNeeds {
  readonly needs: Needs;
}

/**
 * "No more than this": works out what a call takes from budget and limits. It is taken together with the receipt, by
 * `nothingTwice` behind it, so that calls at the same time cannot take the same money. Nobody is asked by `personDecides`
 * about what could not be paid.
 *
 * ```ts
 * const cheap = noMoreThan({ price: () => 0.01, usdPerDay: 5, limits: () => [{ max: 10, periodMs: 60_000 }] });
 * ```
 */
export function noMoreThan({
  price = () => 0,
  usdPerCall,
  ofCaller,
  limits = () => [],
  ...ofAll
}: NoMoreThanOptions) {
  return guard<{ adds: CallNeeds }>({
    name: "no more than",
    ordered: "noMoreThan",
    codes: () => [],
    run: (call, next) => {
      const caller = ofCaller?.(call);
      const caps: BudgetCaps = {
        perCall: capOf(usdPerCall),
        ...capsOf(ofAll),
        ...(caller && { caller: { id: call.caller.principal ?? "", ...capsOf(caller) } }),
      };
      return next({
        context: { needs: { costMicros: microsOf(price(call)), caps, limits: limits(call) } },
      });
    },
  });
}

function capsOf({ usdPerDay, usdPerMonth }: SpendingCaps) {
  return { perDay: capOf(usdPerDay), perMonth: capOf(usdPerMonth) };
}

function capOf(usd: number | undefined): Micros | undefined {
  return usd === undefined ? undefined : microsOf(usd);
}

type TooMuch = Extract<NotClaimed, { readonly kind: "limit" | "budget" }>;

export function isTooMuch(why: NotClaimed): why is TooMuch {
  return why.kind === "limit" || why.kind === "budget";
}

/** The answer to a call that would take more than is left. */
export function tooMuch(code: string, why: TooMuch): Failure {
  if (why.kind === "limit")
    return {
      code,
      reason: "limit",
      message: `At most ${why.limit.max} calls are allowed in ${why.limit.periodMs / 1_000} s. Nothing was done.`,
      rateLimitReset: new Date(why.resetsAt).toISOString(),
    };
  return {
    code,
    reason: "budget",
    message: `The budget of the ${why.cap} does not suffice for this call. Nothing was done.`,
    fixBy: "operator",
  };
}
