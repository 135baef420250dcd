import { type Failed, type Failure, failed } from "@toolpact/contract";
import { StorageError } from "../../storage/storage-error.ts";
import type { Bill } from "../budget/bill.ts";
import type { Account, GeneralGuard, PlannedMutation } from "../call-context.ts";
import type { ReceiptTime, RequestRules } from "./journal.ts";
import type { Receipt, Step } from "./receipt.ts";
import type { ReceiptAttempt, ReceiptStorage } from "./receipt-storage.ts";

interface Settling {
  readonly storage: ReceiptStorage;
  readonly rules: Pick<RequestRules, "effectOf">;
  /** Finds out from what the service shows what became of a step. Sends nothing that changes anything. */
  readonly readBack: (step: Step, signal: AbortSignal | undefined) => Promise<ReadBack>;
  readonly xTime: ReceiptTime;
  readonly leaseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What reading back shows of a request whose answer was lost. */
export type ReadBack =
  /** It was carried out; `data` is what such a request is answered with. */
  | {
      readonly found: "done";
      readonly data: object;
      /** For a thing that was made: whether another request could have made it as well. */
      readonly fits?: ((other: Step) => boolean) | undefined;
    }
  | { readonly found: "not_done" }
  /** Reading back failed. */
  | { readonly found: "no_answer"; readonly why: string }
  /** X shows several things that it could have made. */
  | { readonly found: "several" }
  /** Nothing shows whether it was carried out; sending it again does no harm. */
  | { readonly found: "repeatable" }
  /** Nothing shows whether it was carried out, and sending it again could do it twice. */
  | { readonly found: "unknowable" };

export interface Settled {
  readonly state: Receipt["state"];
  /** Why it is still not known. */
  readonly why?: string;
  /** When it makes sense to look again; undefined where looking does not help. */
  readonly retryAt?: number;
}

/**
 * Finds out how a mutation with an unknown outcome ended, by reading back. Sends nothing. Undefined where another
 * call is doing it.
 *
 * With `isWanted` the same call is about to be made again, so that a request which does no harm when it is repeated
 * counts as not done.
 */
export async function settleReceipt(
  settling: Settling,
  { id, attempt }: ReceiptAttempt,
  isWanted: boolean,
): Promise<Settled | undefined> {
  const { storage, xTime, leaseMs } = settling;
  if (!(await storage.takeOver({ id, attempt }, xTime.now() + leaseMs))) return undefined;
  const doubts: Doubt[] = [];
  for (const step of await storage.stepsOf(id)) {
    if (step.state !== "pending" && step.state !== "unknown") continue;
    const doubt = await settleStep(settling, step, isWanted);
    if (doubt !== undefined) doubts.push(doubt);
  }
  const finished = await storage.finish({ receiptId: id, attempt: attempt + 1, now: xTime.now() });
  if (finished === undefined) return undefined;
  const [doubt] = doubts;
  return { state: finished.state, ...doubt };
}

/**
 * Settles what earlier processes left behind. A server does so before it carries out its first mutation. A receipt
 * that the storage refuses stays open and does not keep the others from being settled.
 */
async function settleAll(settling: Settling): Promise<void> {
  const { storage, xTime } = settling;
  for (const receipt of await storage.abandoned(xTime.now()))
    await settleReceipt(settling, receipt, false).catch(unlessRefused);
}

/** An unreachable storage fails again when it is next used. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof StorageError && error.kind === "failed")) throw error;
}

interface Doubt {
  readonly why: string;
  readonly retryAt?: number;
}

async function settleStep(settling: Settling, step: Step, isWanted: boolean): Promise<Doubt | undefined> {
  const { storage, rules, readBack, xTime, signal } = settling;
  const beganAt = xTime.monotonic();
  const found = await readBack(step, signal);
  // X's answers have just shown its time; what it shows is as old as the question.
  const lookedAt = xTime.now() - (xTime.monotonic() - beganAt);
  const doubt = doubtAbout(found, step, isWanted, lookedAt) ?? (await rivalDoubt(storage, step, found));
  const ended: Step =
    doubt !== undefined
      ? { ...step, state: "unknown" }
      : found.found === "done"
        ? { ...step, state: "confirmed", status: 200, answer_text: JSON.stringify({ data: found.data }) }
        : { ...step, state: "failed" };
  const { makes, unmakes } = rules.effectOf(ended);
  const isWritten = await storage.endStep({ ...ended, settled_at: xTime.now(), makes }, unmakes);
  return isWritten ? doubt : { why: "Another call has just made what X shows.", retryAt: xTime.now() };
}

function doubtAbout(found: ReadBack, step: Step, isWanted: boolean, lookedAt: number): Doubt | undefined {
  switch (found.found) {
    case "done":
      return undefined;
    case "not_done":
      return lookedAt >= step.effect_until
        ? undefined
        : { why: "X does not show it yet, and may still carry it out.", retryAt: step.effect_until };
    case "repeatable":
      return isWanted ? undefined : { why: "Nothing at X shows whether it was carried out." };
    case "no_answer":
      return { why: `X could not be asked: ${found.why}`, retryAt: lookedAt };
    case "several":
      return { why: "X shows several that it could be." };
    case "unknowable":
      return { why: "Nothing at X shows whether it was carried out." };
  }
}

/** What X shows may belong to another open request that asked for the same. */
async function rivalDoubt(storage: ReceiptStorage, step: Step, found: ReadBack): Promise<Doubt | undefined> {
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
  // Of two that are the same to the letter, it does not matter which one was carried out.
  return rivals.some(({ digest }) => digest !== step.digest)
    ? { why: "What X shows could belong to another request as well." }
    : undefined;
}

/** When to ask again whether a request that is under way has ended. */
const RIVAL_MS = 30_000;

/** What reading back at once has shown of a call whose answer was lost. */
type LostAnswer =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly state: Receipt["state"]; readonly failure: Failed<Failure> };

/** Reads back at once whether a call was carried out whose answer was lost, and says what is known by then. */
export async function findLostAnswer(
  settling: Settling,
  receipt: ReceiptAttempt,
  { failure }: Failed<Failure>,
): Promise<LostAnswer> {
  const settled = settling.signal?.aborted ? undefined : await settleNow(settling, receipt);
  if (settled?.state === "confirmed") return { isDone: true };
  const state = settled?.state ?? "unknown";
  const isOpen = state === "unknown";
  const now = settling.xTime.now();
  return {
    isDone: false,
    state,
    failure: failed({
      ...failure,
      ...(isOpen && {
        suggestedFix:
          "Call again after retry_after_ms with the same arguments: X is asked what became of it before anything is sent.",
        fixBy: "agent" as const,
        retryAfterMs: Math.max(1_000, (settled?.retryAt ?? now) - now),
      }),
      details: { ...failure.details, may_have_taken_effect: isOpen },
    }),
  };
}

async function settleNow(settling: Settling, { id, attempt }: ReceiptAttempt): Promise<Settled | undefined> {
  try {
    return await settleReceipt(settling, { id, attempt }, false);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

export interface SettlingDependencies {
  /** What is read back is put on the bill too, where one is given. */
  readonly settlingFor: (account: Account, signal: AbortSignal, bill?: Bill) => Settling;
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
