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
    queued: queued === undefined ? [] : [queued],
    decided: async (ids) =>
      (await guardStorage.decided(ids, MAX_REPORTED, clock.now())).map(reportedDecision),
    report: (decisions) => annotate(call, { decisions }),
  }).catch(() => {
    // The call itself has ended, whatever becomes of this.
    call.warn("Decisions about earlier calls could not be read.");
  });
}

/** The steps of a protected call. A product fills them in with its own storage and answers; it has no order of its own. */
export interface ProtectedSteps<Allowed> {
  /** Resolves what earlier processes left open. */
  readonly resolveLeftovers: () => Promise<void>;
  /** Answers a call that was made before. Sends nothing. */
  readonly answerRepeat: () => Promise<AnyOutcome | undefined>;
  /** Refuses the call while the operator has stopped calls like it. */
  readonly refuseStopped: () => Promise<AnyOutcome | undefined>;
  /** Refuses a call that could not be carried out if it were approved: not available, over a limit or the budget. */
  readonly refuseEarly: () => Promise<AnyOutcome | undefined>;
  /** Applies rules and approval. */
  readonly decide: () => Promise<Decided<Allowed>>;
  /** Stores a receipt, with the money and places it takes, runs the tool, and stores how it ended. */
  readonly run: (allowed: Allowed) => Promise<AnyOutcome>;
}

export type Decided<Allowed> =
  | { readonly kind: "allowed"; readonly allowed: Allowed }
  /** It was refused, or waits for an approver. */
  | { readonly kind: "answered"; readonly outcome: AnyOutcome };

/**
 * Runs the steps in the only order there is.
 *
 * - A repeat comes first. It sends nothing, so it uses up neither limits nor money nor an approval, and its caller gets
 *   the result of the first call while everything is stopped too.
 * - A stop comes before everything that could end in a new effect.
 * - Availability, limits and budget come before the approval, so nobody approves a call that could not run. `run` checks
 *   limits and budget again in the transaction that stores the receipt.
 * - The stop is checked again after the approval, because a decision may take minutes.
 */
export async function runProtected<Allowed>(steps: ProtectedSteps<Allowed>): Promise<AnyOutcome> {
  await steps.resolveLeftovers();
  const early = (await steps.answerRepeat()) ?? (await steps.refuseStopped()) ?? (await steps.refuseEarly());
  if (early !== undefined) return early;
  const decided = await steps.decide();
  if (decided.kind === "answered") return decided.outcome;
  return (await steps.refuseStopped()) ?? steps.run(decided.allowed);
}

/** Items that the calls of each client wait for, in this process. */
export type WaitingCalls = Map<string, Set<number>>;

/** A decision about one item, as an agent sees it. */
export interface ReportedDecision {
  readonly id: number;
  readonly view: JsonObject;
}

/** Bounds the memory that silent clients, or clients with a new name for every call, can use. */
const MAX_WAITING = 500;
const MAX_CLIENTS = 1_000;

/** Decisions per answer; the rest is reported with the next. */
export const MAX_REPORTED = 10;

/** True if a person makes the call, at the terminal or in the web app. */
export function isByPerson({ transport }: Pick<Caller, "transport">): boolean {
  return transport === "cli" || transport === "web";
}

function reportedDecision({ id, tool, status, note }: ApprovalItem): ReportedDecision {
  return { id, view: { item_id: id, tool, status, ...(note !== undefined && { person_says: note }) } };
}

export interface ReportOptions {
  /** The items that the call which just ended waits for. */
  readonly queued: readonly number[];
  /** Returns the decisions about some of these items. */
  readonly decided: (ids: readonly number[]) => Promise<readonly ReportedDecision[]>;
  readonly report: (decisions: readonly JsonObject[]) => void;
}

/**
 * Reports decisions about items that a client's earlier calls wait for, each once, and remembers those of this call.
 */
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
  // Those that called are behind the others, so that the first has been silent for longest.
  const [silent] = waitingCalls.size > MAX_CLIENTS ? waitingCalls.keys() : [];
  if (silent !== undefined) waitingCalls.delete(silent);
}

/** Clients over HTTP have no connection that lasts; the same name under the same token is the same agent. */
function nameOf({ transport, client = "", principal = "" }: Caller): string {
  return JSON.stringify([transport, client, principal]);
}
