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
  /** Stores the receipt, and whatever the product adds to the transaction. */
  readonly claim: () => Promise<Outcome<HeldReceipt, Repeated<R> | Refused>>;
  /** Stores the end, and whatever the product adds to the transaction. */
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  readonly requests: RequestOptions;
  /** Replaces a code that is not retryable if the call may be repeated. */
  readonly retryCode: (code: string) => string;
  /** True if the service rejected the request as already known. */
  readonly isRepetition?: (failure: Failure, step: Step) => boolean;
}

export interface RepeatedCall<R extends ReceiptAttempt> {
  readonly storage: StepStorage;
  /** Undefined if only a person can find out. */
  readonly resolverFor: (receipt: R | HeldReceipt) => Resolver | undefined;
}

/** The tool sends its requests through the journal. */
export type RunWithJournal = (journal: Journal, receipt: ReceiptAttempt) => Promise<AnyOutcome>;

export type ReceiptResult<R, Refused> =
  | RanWithReceipt
  | EarlierResult<R>
  | { readonly kind: "refused"; readonly refusal: RepeatRefusal<R> | Refused }
  /** The first request could not be recorded. Nothing was sent. */
  | { readonly kind: "storage_trouble"; readonly error: unknown };

export interface RanWithReceipt {
  readonly kind: "ran";
  readonly outcome: AnyOutcome;
  readonly receipt: HeldReceipt;
  /** Undefined if the end is not stored or another call took over. */
  readonly finished: Finished | undefined;
  /** If false, callers get `UNSTORED_WARNING`. */
  readonly isStored: boolean;
  /** Undefined if nothing was searched. */
  readonly found: StepState | undefined;
}

type EarlierResult<R> =
  /** The stored answer counts, or `rebuildAnswer`'s. */
  { readonly kind: "done_before"; readonly receipt: R };

export const UNSTORED_WARNING =
  "The outcome of this call could not be stored. It is checked before the same call is sent again.";

/** Stores a receipt, runs the tool, and stores its end. Reads back a lost answer. Returns data, not an answer. */
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

/** Resolves an earlier equal call. `proceed` means to run or continue the call. */
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

/** Milliseconds before retrying while another call resolves the receipt. */
const OTHERS_RESOLVE_MS = 1_000;

/** Runs an executed tool again on its recorded answers. Sends nothing. */
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
  // An unstored step is resolved later.
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

/** If the same request got no answer before, a rejection may be due to repetition, so its outcome is unknown. */
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
