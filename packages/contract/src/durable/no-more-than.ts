import { type Call, guard } from "../call.ts";
import type { Needs, RateLimit } from "./storage.ts";

export interface NoMoreThanOptions {
  /** What a call costs, in US dollars; nothing unless given. */
  readonly price?: (call: Pick<Call, "tool" | "action" | "input">) => number;
  /** By UTC days and months, of all calls of the storage's scope together. */
  readonly usdPerDay?: number;
  readonly usdPerMonth?: number;
  readonly limits?: (call: Pick<Call, "tool" | "action">) => readonly RateLimit[];
}

/** What a call takes, for the guard that stores its receipt. */
export interface CallNeeds {
  readonly needs: Needs;
}

const MICROS = 1_000_000;

/**
 * "No more than this": works out what a call takes from budget and limits. It is taken together with the receipt, by
 * `nothingTwice` behind it, so that calls at the same time cannot take the same money.
 *
 * ```ts
 * const cheap = noMoreThan({ price: () => 0.01, usdPerDay: 5, limits: () => [{ max: 10, periodMs: 60_000 }] });
 * ```
 */
export function noMoreThan({
  price = () => 0,
  usdPerDay,
  usdPerMonth,
  limits = () => [],
}: NoMoreThanOptions) {
  return guard<{ adds: CallNeeds }>({
    name: "no more than",
    codes: () => [],
    run: (call, next) =>
      next({
        context: {
          needs: {
            costMicros: Math.round(price(call) * MICROS),
            caps: { day: microsOf(usdPerDay), month: microsOf(usdPerMonth) },
            limits: limits(call),
          },
        },
      }),
  });
}

function microsOf(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : Math.round(usd * MICROS);
}
