import { type Failed, failed } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import type { ReceiptAttempt, StepStorage } from "./receipt.ts";
import type { ReadBack, ReceiptTime, RequestRules, Step, StepState } from "./step.ts";

export interface Resolver {
  readonly storage: StepStorage;
  /** In messages, such as `the shop`. */
  readonly service: string;
  readonly rules: Pick<RequestRules, "effectOf">;
  /** Finds a step's outcome in the service's state, without changes. */
  readonly readBack: (step: Step, signal: AbortSignal | undefined) => Promise<ReadBack>;
  readonly time: ReceiptTime;
  readonly leaseMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Resolved {
  readonly state: StepState;
  readonly why?: string;
  /** Undefined if reading again does not help. */
  readonly retryAt?: number;
  /** Reading again helps only after somebody fixes this. */
  readonly blockedBy?: Failure;
  readonly isHarmless?: true;
}

/**
 * Reads back how a call ended, without writes. Undefined if another call does it.
 *
 * `isWanted`: the call is about to be repeated, so a harmless request counts as not done.
 */
export async function resolveReceipt(
  resolver: Resolver,
  { id, attempt }: ReceiptAttempt,
  isWanted: boolean,
): Promise<Resolved | undefined> {
  const { storage, time, leaseMs } = resolver;
  if (!(await storage.takeOver({ id, attempt }, time.now() + leaseMs))) return undefined;
  const doubts: Doubt[] = [];
  for (const step of await storage.stepsOf(id)) {
    if (step.state !== "pending" && step.state !== "unknown") continue;
    const doubt = await resolveStep(resolver, step, isWanted);
    if (doubt !== undefined) doubts.push(spacedOut(doubt, step, time.now()));
  }
  const [doubt] = doubts;
  const finished = await storage.finish({
    receiptId: id,
    attempt: attempt + 1,
    lookAgainAt: doubt?.lookAgainAt,
    now: time.now(),
  });
  if (finished === undefined) return undefined;
  return { state: finished.state, ...doubt };
}

/** Doubles the interval with the request's age, up to a minute: services show changes with a delay. */
function spacedOut(doubt: Doubt, { sent_at, effect_until }: Step, now: number): Doubt {
  const { why, retryAt, notBefore = now } = doubt;
  // Reading again does not help.
  if (retryAt === undefined) return doubt;
  const pause = Math.min(MAX_PAUSE_MS, Math.max(0, now - sent_at));
  const next = effect_until > now ? Math.min(now + pause, effect_until) : now + pause;
  const lookAgainAt = Math.min(Math.max(next, notBefore), now + MAX_SILENCE_MS);
  return { why, retryAt: Math.max(retryAt, next, notBefore), lookAgainAt };
}

const MAX_PAUSE_MS = 60_000;
/** A longer pause between reads was written by a process with a wrong clock. */
export const MAX_SILENCE_MS = 15 * 60_000;

/** Resolves earlier processes' receipts. One that the storage rejects stays open. */
async function resolveAll(resolver: Resolver): Promise<void> {
  const { storage, time } = resolver;
  for (const receipt of await storage.abandoned(time.now()))
    try {
      await resolveReceipt(resolver, receipt, false);
    } catch (error) {
      // An unreachable storage fails again when it is next used.
      if (storage.troubleOf?.(error) !== "refused") throw error;
    }
}

interface Doubt extends Omit<Resolved, "state"> {
  readonly why: string;
  readonly notBefore?: number | undefined;
  readonly lookAgainAt?: number;
}

async function resolveStep(resolver: Resolver, step: Step, isWanted: boolean): Promise<Doubt | undefined> {
  const { storage, service, rules, readBack, time, signal } = resolver;
  const beganAt = time.monotonic();
  const found = await readBack(step, signal);
  // The answers show the service's time, but their content is as old as the question.
  const lookedAt = time.now() - (time.monotonic() - beganAt);
  const doubt =
    doubtAbout(resolver, found, step, isWanted, lookedAt) ?? (await rivalDoubt(resolver, step, found));
  const ended: Step =
    doubt !== undefined
      ? { ...step, state: "unknown" }
      : found.found === "done"
        ? { ...step, state: "confirmed", status: 200, answer_text: JSON.stringify(found.answer) }
        : { ...step, state: "failed" };
  const { makes, unmakes } = rules.effectOf(ended);
  const isWritten = await storage.endStep({ ...ended, settled_at: time.now(), makes }, unmakes);
  return isWritten
    ? doubt
    : { why: `Another call has just made what ${service} shows.`, retryAt: time.now() };
}

function doubtAbout(
  { service }: Resolver,
  found: ReadBack,
  step: Step,
  isWanted: boolean,
  lookedAt: number,
): Doubt | undefined {
  switch (found.found) {
    case "done":
      return undefined;
    case "not_done":
      return lookedAt >= step.effect_until
        ? undefined
        : {
            why: `${capitalized(service)} does not show it yet, and may still carry it out.`,
            retryAt: step.effect_until,
          };
    case "repeatable":
      return isWanted
        ? undefined
        : { why: `Nothing at ${service} shows whether it was carried out.`, isHarmless: true };
    case "no_answer": {
      const why = `${capitalized(service)} could not be asked: ${found.why}`;
      const { blockedBy, retryAt: notBefore } = found;
      // Before then, even a faster service cannot prove that it was not executed.
      return blockedBy === undefined
        ? { why, retryAt: Math.max(lookedAt, step.effect_until), notBefore }
        : { why, blockedBy };
    }
    case "several":
      return { why: `${capitalized(service)} shows several that it could be.` };
    case "unknowable":
      return { why: `Nothing at ${service} shows whether it was carried out.` };
  }
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Another open request for the same thing may have caused the result. */
async function rivalDoubt(
  { storage, service }: Resolver,
  step: Step,
  found: ReadBack,
): Promise<Doubt | undefined> {
  if (found.found !== "done" || found.fits === undefined) return undefined;
  const { fits } = found;
  const rivals = (await storage.openSteps()).filter(
    (other) => (other.receipt_id !== step.receipt_id || other.seq !== step.seq) && fits(other),
  );
  if (rivals.some(({ state }) => state === "pending"))
    return {
      why: "Another request for the same is under way.",
      retryAt: Math.max(...rivals.map(({ sent_at }) => sent_at)) + RIVAL_MS,
    };
  // Identical requests are interchangeable.
  return rivals.some(({ digest }) => digest !== step.digest)
    ? { why: `What ${service} shows could belong to another request as well.` }
    : undefined;
}

/** When to check again whether a running request has ended. */
const RIVAL_MS = 30_000;

type LostAnswer =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly state: StepState; readonly failure: Failed<Failure> };

export async function findLostAnswer(
  resolver: Resolver,
  receipt: ReceiptAttempt,
  { failure }: Failed<Failure>,
): Promise<LostAnswer> {
  const resolved = resolver.signal?.aborted ? undefined : await resolveNow(resolver, receipt);
  if (resolved?.state === "confirmed") return { isDone: true };
  const state = resolved?.state ?? "unknown";
  const details = {
    ...failure.details,
    ...resolved?.blockedBy?.details,
    may_have_taken_effect: state === "unknown",
  };
  return { isDone: false, state, failure: failed({ ...advised(resolver, resolved, failure), details }) };
}

function advised({ service, time }: Resolver, resolved: Resolved | undefined, failure: Failure): Failure {
  if (resolved?.blockedBy !== undefined) return blockedFailure(resolved.blockedBy, failure.message, service);
  if (resolved?.state === "failed")
    return failure.details?.may_have_taken_effect === true
      ? { ...failure, suggestedFix: "It was not carried out. Make the same call again.", fixBy: "agent" }
      : failure;
  if (resolved?.isHarmless)
    return {
      ...failure,
      suggestedFix: "Make the same call again: repeating it does no harm.",
      fixBy: "agent",
    };
  const now = time.now();
  const retryAt = resolved === undefined ? now : resolved.retryAt;
  return retryAt === undefined
    ? { ...failure, suggestedFix: CHECK_YOURSELF, fixBy: "human" }
    : {
        ...failure,
        suggestedFix: `Call again after retry_after_ms with the same arguments: ${service} is asked what became of it before anything is sent.`,
        fixBy: "agent",
        retryAfterMs: Math.max(1_000, retryAt - now),
      };
}

export const CHECK_YOURSELF =
  "Check whether it took effect, and record the result. It is not sent again before that.";

export function blockedFailure(blockedBy: Failure, message: string, service: string): Failure {
  const { suggestedFix = blockedBy.message } = blockedBy;
  return {
    ...blockedBy,
    message: `${message} ${blockedBy.message}`,
    suggestedFix: `${suggestedFix} Then make the same call again: ${service} is asked what became of it before anything is sent.`,
  };
}

async function resolveNow(
  resolver: Resolver,
  { id, attempt }: ReceiptAttempt,
): Promise<Resolved | undefined> {
  try {
    return await resolveReceipt(resolver, { id, attempt }, false);
  } catch (error) {
    if (resolver.storage.troubleOf?.(error) === undefined) throw error;
    return undefined;
  }
}

/** Runs before the first change, and then periodically, because other processes may die. */
export function leftoverResolver<Scope>(
  resolverFor: (scope: Scope, signal: AbortSignal) => Resolver,
  now: () => number,
): (scope: Scope, signal: AbortSignal) => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (scope, signal) => {
    if (now() < nextAt) return;
    nextAt = now() + LOOK_AGAIN_MS;
    await resolveAll(resolverFor(scope, signal));
  };
}

const LOOK_AGAIN_MS = 60_000;
