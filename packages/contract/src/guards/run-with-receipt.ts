import { type Failed, failed, type Outcome } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import type { AnyOutcome } from "../tool.ts";
import { Journal, type RequestOptions } from "./journal.ts";
import type {
  CallEnding,
  EarlierCall,
  Finished,
  HeldReceipt,
  ReceiptAttempt,
  Repeated,
  StepStorage,
} from "./receipt.ts";
import type { RepeatRefusal } from "./refusals.ts";
import { findLostAnswer, MAX_SILENCE_MS, type Resolver, resolveReceipt } from "./resolve.ts";
import type { Step, StepState } from "./step.ts";

export interface ReceiptRun<R extends ReceiptAttempt, Refused extends object> extends RepeatedCall<R> {
  /** Stores the receipt, with everything else the product writes in the same transaction. */
  readonly claim: () => Promise<Outcome<HeldReceipt, Repeated<R> | Refused>>;
  /** Stores how the call ended, with everything else the product writes in the same transaction. */
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  /** How its requests are recorded. */
  readonly requests: RequestOptions;
  /** The code of failures after which the call may be repeated, in place of one that is not retryable. */
  readonly retryCode: (code: string) => string;
  /** True if the service rejected this request because it already has it. */
  readonly isRepetition?: (failure: Failure, step: Step) => boolean;
}

/** A possibly repeated call. */
export interface RepeatedCall<R extends ReceiptAttempt> {
  readonly storage: StepStorage;
  /** Returns the resolver of a receipt with an unknown outcome, or undefined if only a person can find out. */
  readonly resolverFor: (receipt: R | HeldReceipt) => Resolver | undefined;
}

/** Runs the tool, which sends its requests through the journal. */
export type RunWithJournal = (journal: Journal, receipt: ReceiptAttempt) => Promise<AnyOutcome>;

export type ReceiptResult<R, Refused> =
  | RanWithReceipt
  | EarlierResult<R>
  | { readonly kind: "refused"; readonly refusal: RepeatRefusal<R> | Refused }
  /** The first request could not be recorded because the storage threw this error. Nothing was sent. */
  | { readonly kind: "storage_trouble"; readonly error: unknown };

export interface RanWithReceipt {
  readonly kind: "ran";
  readonly outcome: AnyOutcome;
  readonly receipt: HeldReceipt;
  /** Undefined if the end is not stored, or another call has taken over. */
  readonly finished: Finished | undefined;
  /** False if the storage failed after the call: callers get `UNSTORED_WARNING`. */
  readonly isStored: boolean;
  /** The state that the search for a lost answer found; undefined if there was no search. */
  readonly found: StepState | undefined;
}

/** The meaning of an earlier call for an equal one. */
type EarlierResult<R> =
  /** It was executed. Its stored answer counts, or the one from `rebuildAnswer`. */
  { readonly kind: "done_before"; readonly receipt: R };

/** Warning for callers of a call whose end could not be stored. */
export const UNSTORED_WARNING =
  "The outcome of this call could not be stored. It is checked before the same call is sent again.";

/**
 * Stores a receipt before anything is sent, runs the tool, and stores how it ended. Reads back a lost answer
 * immediately. Returns data only: the caller turns it into its answer.
 */
export async function runWithReceipt<R extends ReceiptAttempt, Refused extends object>(
  call: ReceiptRun<R, Refused>,
  run: RunWithJournal,
): Promise<ReceiptResult<R, Refused>> {
  const claimed = await call.claim();
  if (!claimed.ok) {
    const why = claimed.failure;
    if (!isRepeated(why)) return { kind: "refused", refusal: why };
    const earlier = await resolveEarlier(call, why.earlier);
    return earlier.kind === "proceed" ? runWithReceipt(call, run) : earlier;
  }
  const receipt = claimed.value;
  const journal = new Journal({ ...call.requests, ...receipt, storage: call.storage, mode: "send" });
  const { outcome, ...ended } = await runAndFinish(call, receipt, journal, run);
  const { finished } = ended;
  const ran = { kind: "ran", receipt, found: undefined, ...ended } as const;
  if (outcome.ok !== false) return { ...ran, outcome };
  const notSent = journal.steps.some(isDone) ? undefined : journal.notSent;
  if (notSent === "taken_over") return { kind: "refused", refusal: { kind: "taken_over", receipt } };
  if (typeof notSent === "object")
    return "trouble" in notSent
      ? { kind: "storage_trouble", error: notSent.trouble }
      : { kind: "refused", refusal: { kind: "continued_elsewhere", receipt, by: notSent.continuedBy } };
  const resolver = finished?.state === "unknown" ? call.resolverFor(receipt) : undefined;
  if (resolver === undefined) return { ...ran, outcome: withReceipt(outcome, receipt, finished?.state) };
  const lost = await findLostAnswer(resolver, receipt, outcome);
  return lost.isDone
    ? {
        ...ran,
        found: "confirmed",
        outcome: await rebuildAnswer(call, { id: receipt.id, attempt: receipt.attempt + 1 }, run),
      }
    : { ...ran, found: lost.state, outcome: withReceipt(coded(call, lost.failure), receipt, lost.state) };
}

/**
 * Returns what an earlier call means for an equal one. An unknown outcome is resolved first. `proceed`: run the call
 * or continue it.
 */
export async function resolveEarlier<R extends ReceiptAttempt>(
  { storage, resolverFor }: RepeatedCall<R>,
  earlier: EarlierCall<R>,
): Promise<
  | { readonly kind: "proceed" }
  | EarlierResult<R>
  | { readonly kind: "refused"; readonly refusal: RepeatRefusal<R> }
> {
  const { receipt } = earlier;
  switch (earlier.kind) {
    case "key_reused":
    case "running":
    case "just_done":
      return { kind: "refused", refusal: earlier };
    case "done":
      return { kind: "done_before", receipt };
    case "partly_done": {
      const by = await storage.continuedBy(receipt.id);
      return by === undefined
        ? { kind: "proceed" }
        : { kind: "refused", refusal: { kind: "continued_elsewhere", receipt, by } };
    }
    case "in_doubt": {
      const resolver = resolverFor(receipt);
      if (resolver === undefined)
        return { kind: "refused", refusal: { kind: "in_doubt", receipt, resolved: undefined } };
      const now = resolver.time.now();
      const { lookAgainAt = now } = earlier;
      if (lookAgainAt > now && lookAgainAt <= now + MAX_SILENCE_MS) {
        // The time reported before: asking earlier helps only if the service is faster than it may be.
        const decidedAt = lastEffectOf(await storage.stepsOf(receipt.id));
        const retryAt = Math.max(lookAgainAt, decidedAt);
        const resolved = { state: "unknown", why: lookedBefore(resolver), retryAt } as const;
        return { kind: "refused", refusal: { kind: "in_doubt", receipt, resolved } };
      }
      const until = now + OTHERS_RESOLVE_MS;
      const resolved = await resolveReceipt(resolver, receipt, true);
      // Another call is resolving it.
      if (resolved === undefined) return { kind: "refused", refusal: { kind: "running", receipt, until } };
      if (resolved.state === "unknown")
        return { kind: "refused", refusal: { kind: "in_doubt", receipt, resolved } };
      return resolved.state === "confirmed"
        ? { kind: "done_before", receipt: { ...receipt, attempt: receipt.attempt + 1 } }
        : { kind: "proceed" };
    }
  }
}

/** The time after which the service can no longer execute any of these requests that is still open. */
function lastEffectOf(steps: readonly Step[]): number {
  const open = steps.filter(({ state }) => state === "pending" || state === "unknown");
  return Math.max(0, ...open.map(({ effect_until }) => effect_until));
}

function lookedBefore({ service }: Resolver): string {
  return `It is too early to ask ${service} again what became of it.`;
}

/** Delay before a caller retries for a receipt that another call is resolving. */
const OTHERS_RESOLVE_MS = 1_000;

/** Runs the tool of an executed call again on its recorded answers. Sends nothing. */
export async function rebuildAnswer(
  { storage, requests }: Pick<ReceiptRun<ReceiptAttempt, object>, "storage" | "requests">,
  { id, attempt }: ReceiptAttempt,
  run: RunWithJournal,
): Promise<AnyOutcome> {
  const steps = await storage.stepsOf(id);
  const journal = new Journal({ ...requests, storage, id, attempt, steps, mode: "replay" });
  const outcome = await run(journal, { id, attempt });
  if (outcome.ok === true) await storage.saveResult(id, outcome.value);
  return outcome;
}

async function runAndFinish<R extends ReceiptAttempt, Refused extends object>(
  call: ReceiptRun<R, Refused>,
  receipt: HeldReceipt,
  journal: Journal,
  run: RunWithJournal,
): Promise<Pick<RanWithReceipt, "outcome" | "finished" | "isStored">> {
  let outcome: AnyOutcome;
  try {
    outcome = await run(journal, receipt);
  } catch (error) {
    // A tool that throws may have acted.
    await finish(call, receipt, journal, undefined);
    throw error;
  }
  if (outcome.ok === false) await doubtRepetition(call, journal, outcome.failure);
  return { outcome, ...(await finish(call, receipt, journal, outcome)) };
}

async function finish<R extends ReceiptAttempt, Refused extends object>(
  { storage, requests, finish: write }: ReceiptRun<R, Refused>,
  { id, attempt }: ReceiptAttempt,
  journal: Journal,
  outcome: AnyOutcome | undefined,
): Promise<Pick<RanWithReceipt, "finished" | "isStored">> {
  // An unstored step is resolved later; until then nothing is certain.
  if (journal.hasUnwritten) return { finished: undefined, isStored: false };
  try {
    const finished = await write({
      receiptId: id,
      attempt,
      step: journal.unwritten,
      ...(outcome?.ok === true && { result: outcome.value }),
      ...(outcome?.ok === false && { failure: outcome.failure }),
      ...(outcome === undefined && { isOpen: true }),
      now: requests.time.now(),
    });
    return { finished, isStored: true };
  } catch (error) {
    if (storage.troubleOf?.(error) === undefined) throw error;
    return { finished: undefined, isStored: false };
  }
}

/**
 * A service may reject a repeated request. If the same request got no answer before, that may be the
 * reason: its outcome is then unknown until it is read back.
 */
async function doubtRepetition<R extends ReceiptAttempt, Refused extends object>(
  { storage, isRepetition }: ReceiptRun<R, Refused>,
  journal: Journal,
  failure: Failure,
): Promise<void> {
  const rejected = journal.steps.findLast((step) => step.state === "failed" && isRepetition?.(failure, step));
  if (rejected !== undefined && (await storage.wasSentBefore(rejected))) await storage.doubtStep(rejected);
}

function isRepeated<R, Refused extends object>(why: Repeated<R> | Refused): why is Repeated<R> {
  return "earlier" in why;
}

/** The advice to retry must match the code. */
function coded(
  { retryCode }: Pick<ReceiptRun<ReceiptAttempt, object>, "retryCode">,
  { failure }: Failed<Failure>,
): Failed<Failure> {
  const code = failure.retryAfterMs === undefined ? failure.code : retryCode(failure.code);
  if (code === failure.code) return failed(failure);
  // A reason belongs to its code.
  const { reason, ...rest } = failure;
  return failed({ ...rest, code });
}

function isDone({ state }: Step): boolean {
  return state === "confirmed";
}

function withReceipt(
  { failure }: Failed<Failure>,
  { id }: ReceiptAttempt,
  state: StepState = "unknown",
): Failed<Failure> {
  const { may_have_taken_effect: _, ...details } = failure.details ?? {};
  return failed({ ...failure, details: { ...details, receipt: { id, state } } });
}
