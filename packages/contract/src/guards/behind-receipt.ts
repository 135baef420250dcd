import { type Failed, failed, type Outcome, ok } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import type { Json } from "../json.ts";
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
} from "./receipt-storage.ts";
import { findLostAnswer, type Settled, type Settling, settleReceipt } from "./settle.ts";
import type { Step, StepState } from "./step.ts";

/** A call that changes something, as its product lets it be sent behind a receipt. */
export interface GuardedCall<R extends ReceiptAttempt, Refusal extends object>
  extends Omit<RepeatedCall<R>, "answer"> {
  /** As `ReceiptStorage.claim` and `finish`, with what else the product writes in the same transaction. */
  readonly claim: () => Promise<Outcome<HeldReceipt, Repeated<R> | Refusal>>;
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  /** How its requests are recorded. */
  readonly requests: RequestOptions;
  /** Whether a failure says that the service refused this request because it already has it. */
  readonly isRepetition?: (failure: Failure, step: Step) => boolean;
  readonly answer: (why: NotDone<R, Refusal>) => AnyOutcome;
  readonly warn: (warning: string) => void;
  /** Begins to renew the lease of a receipt that is held; the returned function ends that. */
  readonly renew?: (held: HeldReceipt) => () => void;
  readonly onHeld?: (held: HeldReceipt) => void;
  /** How it ended; undefined where that could not be written, or another call has taken over. */
  readonly onFinished?: (held: HeldReceipt, finished: Finished | undefined) => void;
  /** What looking for its lost answer has shown. */
  readonly onSettled?: (held: HeldReceipt, state: StepState) => void;
}

/** A call that may have been made before. */
export interface RepeatedCall<R extends ReceiptAttempt> {
  readonly storage: StepStorage;
  /** How to find out what became of a receipt; undefined where only a person can. */
  readonly settling: (receipt: R | HeldReceipt) => Settling | undefined;
  /** The stored answer of a call that was done, where there is one. */
  readonly resultOf: (receipt: R) => Json | undefined;
  /** Whether the tool can run again on recorded answers, so that a lost answer is rebuilt; true unless given. */
  readonly canRebuild?: (receipt: R) => boolean;
  /** What the caller is told of a call that is not carried out, or not again. */
  readonly answer: (why: NotAgain<R>) => AnyOutcome;
  /** An earlier receipt answers it. */
  readonly onReplay?: (receipt: R) => void;
  /** The caller is about to get this answer: of this call, or of an earlier one that it repeats. */
  readonly onDone?: (
    result: Json,
    receiptId: string,
    from: "this call" | "receipt" | "replay",
  ) => Promise<void>;
}

/** Why a call that was made before is not carried out again. */
export type NotAgain<R> =
  | Extract<EarlierCall<R>, { readonly kind: "running" | "just_done" | "key_reused" }>
  /** Nobody knows whether it was carried out; `settled` is what reading back has shown. */
  | { readonly kind: "in_doubt"; readonly receipt: R; readonly settled: Settled | undefined }
  /** It was carried out, and its answer is lost. */
  | { readonly kind: "answer_lost"; readonly receipt: R }
  /** Another call has continued what this one, or the earlier one, left incomplete. */
  | { readonly kind: "continued_elsewhere"; readonly receipt: R | HeldReceipt; readonly by: string };

/** Why a call was not carried out. */
export type NotDone<R, Refusal> =
  | NotAgain<R>
  /** It waited so long that another call settled its receipt. */
  | { readonly kind: "taken_over"; readonly receipt: HeldReceipt }
  /** Its first request could not be written down, because the storage threw this. */
  | { readonly kind: "storage_trouble"; readonly error: unknown }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/**
 * Writes a receipt before anything is sent, lets the tool send, and writes down how it ended. An answer that got
 * lost on the way is looked for at once.
 */
export async function sendBehindReceipt<R extends ReceiptAttempt, Refusal extends object>(
  call: GuardedCall<R, Refusal>,
  run: (journal: Journal) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  const claimed = await call.claim();
  if (!claimed.ok) {
    const why = claimed.failure;
    if (!isRepeated(why)) return call.answer({ kind: "refused", refusal: why });
    const rebuild = (receipt: R) => rebuildAnswer(call, receipt, run);
    return (await answerEarlier(call, why.earlier, rebuild)) ?? sendBehindReceipt(call, run);
  }
  const held = claimed.value;
  call.onHeld?.(held);
  const journal = new Journal({ ...call.requests, ...held, storage: call.storage, mode: "send" });
  const outcome = await runHeld(call, held, journal, run);
  if (outcome.ok === false) await doubtRepetition(call, journal, outcome.failure);
  const finished = await finish(call, held, journal, outcome);
  call.onFinished?.(held, finished);
  if (outcome.ok === true) await call.onDone?.(outcome.value, held.id, "this call");
  if (outcome.ok !== false) return outcome;
  const notSent = journal.steps.some(isDone) ? undefined : journal.notSent;
  if (notSent === "taken_over") return call.answer({ kind: "taken_over", receipt: held });
  if (typeof notSent === "object")
    return call.answer(
      "trouble" in notSent
        ? { kind: "storage_trouble", error: notSent.trouble }
        : { kind: "continued_elsewhere", receipt: held, by: notSent.continuedBy },
    );
  const settling = finished?.state === "unknown" ? call.settling(held) : undefined;
  if (settling === undefined) return withReceipt(outcome, held, finished?.state);
  const found = await findLostAnswer(settling, held, outcome);
  call.onSettled?.(held, found.isDone ? "confirmed" : found.state);
  return found.isDone
    ? rebuildAnswer(call, { ...held, attempt: held.attempt + 1 }, run)
    : withReceipt(found.failure, held, found.state);
}

/**
 * What a call gets that was made before. One whose outcome is not known is settled first. Undefined where the call is to be
 * carried out, or continued.
 */
export async function answerEarlier<R extends ReceiptAttempt>(
  call: RepeatedCall<R>,
  earlier: EarlierCall<R>,
  rebuild: (receipt: R) => Promise<AnyOutcome>,
): Promise<AnyOutcome | undefined> {
  const { receipt } = earlier;
  switch (earlier.kind) {
    case "key_reused":
    case "running":
    case "just_done":
      return call.answer(earlier);
    case "done":
      return replay(call, receipt, rebuild);
    case "partly_done": {
      const by = await call.storage.continuedBy(receipt.id);
      return by === undefined ? undefined : call.answer({ kind: "continued_elsewhere", receipt, by });
    }
    case "in_doubt": {
      const settling = call.settling(receipt);
      if (settling === undefined) return call.answer({ kind: "in_doubt", receipt, settled: undefined });
      const until = settling.time.now() + OTHERS_SETTLE_MS;
      const settled = await settleReceipt(settling, receipt, true);
      // Another call is settling it.
      if (settled === undefined) return call.answer({ kind: "running", receipt, until });
      if (settled.state === "unknown") return call.answer({ kind: "in_doubt", receipt, settled });
      if (settled.state !== "confirmed") return undefined;
      return replay(call, { ...receipt, attempt: receipt.attempt + 1 }, rebuild);
    }
  }
}

/** After so long it makes sense to ask again for what another call is settling. */
const OTHERS_SETTLE_MS = 1_000;

/** The first answer; where it was lost, the tool runs again on the recorded answers, and sends nothing. */
async function replay<R extends ReceiptAttempt>(
  call: RepeatedCall<R>,
  receipt: R,
  rebuild: (receipt: R) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  call.onReplay?.(receipt);
  const result = call.resultOf(receipt);
  if (result !== undefined) {
    await call.onDone?.(result, receipt.id, "receipt");
    return ok(result);
  }
  return (call.canRebuild?.(receipt) ?? true)
    ? rebuild(receipt)
    : call.answer({ kind: "answer_lost", receipt });
}

/** It was carried out before: the tool runs on the recorded answers, and sends nothing. */
export async function rebuildAnswer<R extends ReceiptAttempt, Refusal extends object>(
  call: Pick<GuardedCall<R, Refusal>, "storage" | "requests" | "onDone">,
  { id, attempt }: ReceiptAttempt,
  run: (journal: Journal) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  const { storage, requests } = call;
  const steps = await storage.stepsOf(id);
  const outcome = await run(new Journal({ ...requests, storage, id, attempt, steps, mode: "replay" }));
  if (outcome.ok !== true) return outcome;
  await call.onDone?.(outcome.value, id, "replay");
  await storage.saveResult(id, outcome.value);
  return outcome;
}

async function runHeld<R extends ReceiptAttempt, Refusal extends object>(
  call: GuardedCall<R, Refusal>,
  held: HeldReceipt,
  journal: Journal,
  run: (journal: Journal) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  const stopRenewing = call.renew?.(held);
  let outcome: AnyOutcome | undefined;
  try {
    outcome = await run(journal);
    return outcome;
  } finally {
    stopRenewing?.();
    // A bug in the tool must not leave its receipt open.
    if (outcome === undefined) await finish(call, held, journal, undefined);
  }
}

async function finish<R extends ReceiptAttempt, Refusal extends object>(
  { storage, requests, finish: write, warn }: GuardedCall<R, Refusal>,
  { id, attempt }: ReceiptAttempt,
  journal: Journal,
  outcome: AnyOutcome | undefined,
): Promise<Finished | undefined> {
  try {
    // A step that could not be written down is settled later; until then nothing is certain.
    if (!journal.hasUnwritten)
      return await write({
        receiptId: id,
        attempt,
        step: journal.unwritten,
        ...(outcome?.ok === true && { result: outcome.value }),
        ...(outcome?.ok === false && { failure: outcome.failure }),
        ...(outcome === undefined && { isOpen: true }),
        now: requests.time.now(),
      });
  } catch (error) {
    if (storage.troubleOf?.(error) === undefined) throw error;
  }
  warn("How this ended could not be written down; it will be found out before the same call is sent again.");
  return undefined;
}

/**
 * A service may refuse as a repetition what it already has. Where the same request got no answer before, that may be the
 * reason: then its outcome is open until it is read back.
 */
async function doubtRepetition<R extends ReceiptAttempt, Refusal extends object>(
  { storage, isRepetition }: GuardedCall<R, Refusal>,
  journal: Journal,
  failure: Failure,
): Promise<void> {
  const refused = journal.steps.findLast((step) => step.state === "failed" && isRepetition?.(failure, step));
  if (refused !== undefined && (await storage.wasSentBefore(refused))) await storage.doubtStep(refused);
}

function isRepeated<R, Refusal extends object>(why: Repeated<R> | Refusal): why is Repeated<R> {
  return "earlier" in why;
}

function isDone({ state }: Step): boolean {
  return state === "confirmed";
}

function withReceipt(
  { failure }: Failed<Failure>,
  { id }: ReceiptAttempt,
  state: StepState = "unknown",
): Failed<Failure> {
  const { may_have_taken_effect: isUncertain, ...details } = failure.details ?? {};
  // Here the same call may be made again: the service is asked what became of the first before anything is sent.
  const { retryable, ...rest } = failure;
  return failed({
    ...(isUncertain === undefined ? failure : rest),
    details: { ...details, receipt: { id, state } },
  });
}
