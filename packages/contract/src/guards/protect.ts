import type { Call, Guard } from "../call.ts";
import type { AnyErrorSet, CodeOf } from "../errors.ts";
import {
  isByPerson,
  MAX_REPORTED,
  reportDecisions,
  reportedDecision,
  type WaitingCalls,
} from "./decisions.ts";
import {
  codesOf,
  isGuarded,
  type ProtectDependencies,
  type ProtectedCall,
  type ProtectOptions,
  type Unprotected,
} from "./protect-options.ts";
import { runProtected } from "./protected-order.ts";
import { annotate, Protection } from "./protection.ts";
import { leftoversOf } from "./recorded-requests.ts";
import { checkCodes } from "./refusal-codes.ts";

/**
 * Protects calls that change something: a person approves, nothing happens twice, limits and budget hold. The parts run
 * in a fixed order: plan, repeat, stop, limits, budget, approval, stop again, receipt, run, resolve. A receipt is stored
 * before the tool runs, whichever parts are given, so an approval or a budget is used once per call.
 *
 * A call that was cancelled, threw, or lost its process has an unknown outcome: it does not run again before reading back,
 * or a person, has resolved it. Decisions about earlier calls are reported in the metadata of the next answer.
 *
 * ```ts
 * const guardStorage = await openSqlStorage(await openSqlite("guards.db"), { scope: "invoices", key });
 * const stack = product
 *   .guardStack("writes")
 *   .use(deadline)
 *   .use(
 *     protect({
 *       errors,
 *       codes: { retry: "store_error", refused: "denied" },
 *       approval: { binds: async ({ input }) => ({ invoice: invoices.get(String(input.id)) ?? null }) },
 *       budget: { price: () => 0.01, usdPerDay: 5 },
 *       limits: () => [{ max: 10, periodMs: 60_000 }],
 *     }),
 *   )
 *   .answering(successEnvelope(errors))
 *   .bind({ clock: systemClock, guardStorage });
 * ```
 */
export function protect<const Errors extends AnyErrorSet, Facts = unknown, Plan = unknown>(
  options: ProtectOptions<Errors, Facts, Plan>,
): Guard<Facts, Plan, never, ProtectDependencies, Unprotected, ProtectedCall, CodeOf<Errors>> {
  checkCodes(options.errors, options.codes);
  const waitingCalls: WaitingCalls = new Map();
  const resolveLeftovers = leftoversOf(options.once ?? {});
  return {
    name: "protect",
    kind: "protect",
    codes: (tool) => codesOf(options, tool),
    async run(call, next, dependencies) {
      if (!isGuarded(options, call)) return next({ context: { protected: true } });
      const protection = new Protection(options, call, next, dependencies, () =>
        resolveLeftovers(dependencies, call.signal),
      );
      const outcome = await runProtected(protection);
      if (options.approval !== undefined && !isByPerson(call.caller))
        await reportTo(call, dependencies, waitingCalls, protection.waitsFor);
      return outcome;
    },
  };
}

async function reportTo<F, P>(
  call: Call<F, P>,
  { clock, guardStorage }: ProtectDependencies,
  waitingCalls: WaitingCalls,
  queued: number | undefined,
): Promise<void> {
  await reportDecisions(waitingCalls, call.caller, {
    queued,
    decided: async (ids) =>
      (await guardStorage.decided(ids, MAX_REPORTED, clock.now())).map(reportedDecision),
    report: (decisions) => annotate(call, { decisions }),
  }).catch(() => {
    // The call itself has ended, whatever becomes of this.
    call.warn("Decisions about earlier calls could not be read.");
  });
}
