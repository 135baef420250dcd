import { type Failed, type Failure, failed } from "@toolpact/contract";
import { StorageError } from "../../storage/storage-error.ts";
import type { Account, GeneralGuard, PlannedMutation } from "../call-context.ts";
import type { RequestRules } from "./journal.ts";
import type { Receipt, Step } from "./receipt.ts";
import type { ReceiptAttempt, ReceiptStorage } from "./receipt-storage.ts";

interface Settling {
  readonly storage: ReceiptStorage;
  readonly rules: Pick<RequestRules, "effectOf">;
  /** Finds out from what the service shows what became of a step. Sends nothing that changes anything. */
  readonly readBack: (step: Step, signal: AbortSignal | undefined) => Promise<ReadBack>;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What reading back shows of a request whose answer was lost. */
export type ReadBack =
  /** It was carried out; `data` is what such a request is answered with. */
  | { readonly found: "done"; readonly data: object }
  | { readonly found: "not_done" }
  /** Reading back failed. */
  | { readonly found: "no_answer"; readonly why: string }
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
  const { storage, now, leaseMs } = settling;
  if (!(await storage.takeOver({ id, attempt }, now() + leaseMs))) return undefined;
  const doubts: Doubt[] = [];
  for (const step of await storage.stepsOf(id)) {
    if (step.state !== "pending" && step.state !== "unknown") continue;
    const doubt = await settleStep(settling, step, isWanted);
    if (doubt !== undefined) doubts.push(doubt);
  }
  const finished = await storage.finish({ receiptId: id, attempt: attempt + 1, now: now() });
  if (finished === undefined) return undefined;
  const [doubt] = doubts;
  return { state: finished.state, ...doubt };
}

/**
 * Settles what earlier processes left behind. A server does so before it carries out its first mutation. A receipt
 * that the storage refuses stays open and does not keep the others from being settled.
 */
async function settleAll(settling: Settling): Promise<void> {
  const { storage, now } = settling;
  for (const receipt of await storage.abandoned(now()))
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

async function settleStep(
  { storage, rules, readBack, now, signal }: Settling,
  step: Step,
  isWanted: boolean,
): Promise<Doubt | undefined> {
  const found = await readBack(step, signal);
  const doubt = doubtAbout(found, step, isWanted, now());
  const ended: Step =
    doubt !== undefined
      ? { ...step, state: "unknown" }
      : found.found === "done"
        ? { ...step, state: "confirmed", status: 200, answer_text: JSON.stringify({ data: found.data }) }
        : { ...step, state: "failed" };
  const { makes, unmakes } = rules.effectOf(ended);
  await storage.endStep({ ...ended, settled_at: now(), makes }, unmakes);
  return doubt;
}

/** A request that does not show may still be on its way, and what was carried out does not show at once. */
const GRACE_MS = 30_000;

function doubtAbout(found: ReadBack, step: Step, isWanted: boolean, now: number): Doubt | undefined {
  switch (found.found) {
    case "done":
      return undefined;
    case "not_done": {
      const certainAt = step.sent_at + GRACE_MS;
      return now >= certainAt
        ? undefined
        : { why: "X does not show it yet, which may still change.", retryAt: certainAt };
    }
    case "repeatable":
      return isWanted ? undefined : { why: "Nothing at X shows whether it was carried out." };
    case "no_answer":
      return { why: `X could not be asked: ${found.why}`, retryAt: now };
    case "unknowable":
      return { why: "Nothing at X shows whether it was carried out." };
  }
}

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
  return {
    isDone: false,
    state,
    failure: failed({
      ...failure,
      ...(isOpen && {
        suggestedFix:
          "Call again in half a minute with the same arguments: X is asked what became of it before anything is sent.",
        fixBy: "agent" as const,
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
  readonly settlingFor: (account: Account, signal: AbortSignal) => Settling;
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
