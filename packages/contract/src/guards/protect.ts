import type { Call, Caller, Guard } from "../call.ts";
import type { AnyErrorSet, CodeOf } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import type { ApprovalItem } from "./approval-item.ts";
import {
  codesOf,
  isGuarded,
  type ProtectDependencies,
  type ProtectedCall,
  type ProtectOptions,
  type Unprotected,
} from "./protect-options.ts";
import { annotate, Protection } from "./protection.ts";
import { leftoversOf } from "./recorded-requests.ts";
import { checkCodes } from "./refusal-codes.ts";

/**
 * Protects calls that change something: approval, no duplicates, limits and budget. The parts run
 * in a fixed order: plan, repeat, stop, limits, budget, approval, stop again, receipt, run, resolve. A receipt is
 * always stored before the tool runs, so an approval or a budget is used once per call.
 *
 * A call that was canceled, threw, or lost its process has an unknown outcome: it does not run again until reading
 * back, or a person, has resolved it. Decisions about earlier calls are in the metadata of the next answer.
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
    queued: queued === undefined ? [] : [queued],
    decided: async (ids) =>
      (await guardStorage.decided(ids, MAX_REPORTED, clock.now())).map(reportedDecision),
    report: (decisions) => annotate(call, { decisions }),
  }).catch(() => {
    // The call itself has ended, whatever this returns.
    call.warn("Decisions about earlier calls could not be read.");
  });
}

/** Products implement the steps with their own storage and answers, but not their order. */
export interface ProtectedSteps<Allowed> {
  readonly resolveLeftovers: () => Promise<void>;
  /** Sends nothing. */
  readonly answerRepeat: () => Promise<AnyOutcome | undefined>;
  /** Rejects the call if the operator has stopped calls of its kind. */
  readonly refuseStopped: () => Promise<AnyOutcome | undefined>;
  /** Rejects a call that could not run even if approved. */
  readonly refuseEarly: () => Promise<AnyOutcome | undefined>;
  readonly decide: () => Promise<Decided<Allowed>>;
  /** Stores a receipt with its money and slots, runs the tool, and stores the outcome. */
  readonly run: (allowed: Allowed) => Promise<AnyOutcome>;
}

export type Decided<Allowed> =
  | { readonly kind: "allowed"; readonly allowed: Allowed }
  /** It was rejected, or waits for an approver. */
  | { readonly kind: "answered"; readonly outcome: AnyOutcome };

/**
 * Runs the steps in the only valid order.
 *
 * A repeat is first: it costs nothing, and returns the first result even during a stop. Availability, limits
 * and budget are before approval, so nobody approves a call that could not run; `run` checks them again in
 * its transaction. The stop is checked again after approval, which may take minutes.
 */
export async function runProtected<Allowed>(steps: ProtectedSteps<Allowed>): Promise<AnyOutcome> {
  await steps.resolveLeftovers();
  const early = (await steps.answerRepeat()) ?? (await steps.refuseStopped()) ?? (await steps.refuseEarly());
  if (early !== undefined) return early;
  const decided = await steps.decide();
  if (decided.kind === "answered") return decided.outcome;
  return (await steps.refuseStopped()) ?? steps.run(decided.allowed);
}

export type WaitingCalls = Map<string, Set<number>>;

export interface ReportedDecision {
  readonly id: number;
  readonly view: JsonObject;
}

/** Limits the memory of silent clients and of clients with a new name per call. */
const MAX_WAITING = 500;
const MAX_CLIENTS = 1_000;

/** Per answer; the rest follows with the next one. */
export const MAX_REPORTED = 10;

export function isByPerson({ transport }: Pick<Caller, "transport">): boolean {
  return transport === "cli" || transport === "web";
}

function reportedDecision({ id, tool, status, note }: ApprovalItem): ReportedDecision {
  return { id, view: { item_id: id, tool, status, ...(note !== undefined && { person_says: note }) } };
}

export interface ReportOptions {
  readonly queued: readonly number[];
  readonly decided: (ids: readonly number[]) => Promise<readonly ReportedDecision[]>;
  readonly report: (decisions: readonly JsonObject[]) => void;
}

/** Reports each decision about items of the client's earlier calls once, and remembers this call's items. */
export async function reportDecisions(
  waitingCalls: WaitingCalls,
  caller: Caller,
  { queued, decided, report }: ReportOptions,
): Promise<void> {
  const name = nameOf(caller);
  const waiting = waitingCalls.get(name) ?? new Set();
  if (waiting.size > 0) {
    const found = await decided([...waiting]);
    if (found.length > 0) report(found.map(({ view }) => view));
    for (const { id } of found) waiting.delete(id);
  }
  for (const id of queued) if (waiting.size < MAX_WAITING) waiting.add(id);
  waitingCalls.delete(name);
  if (waiting.size > 0) waitingCalls.set(name, waiting);
  // Callers move to the end, so the first was silent for longest.
  const [silent] = waitingCalls.size > MAX_CLIENTS ? waitingCalls.keys() : [];
  if (silent !== undefined) waitingCalls.delete(silent);
}

/** HTTP has no lasting connection, so the same name and token count as the same agent. */
function nameOf({ transport, client = "", principal = "" }: Caller): string {
  return JSON.stringify([transport, client, principal]);
}
