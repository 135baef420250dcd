import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import { digest, type Json, type JsonObject } from "../json.ts";
import type { Step, StepState } from "./step.ts";

/**
 * The state of a call that was let through:
 * - `pending`: it was sent or is about to be, and whoever sends it still lives
 * - `done`: its answer is stored
 * - `not_done`: it is certain that nothing happened
 * - `partly_done`: some of its requests were carried out; the same call continues with the rest
 * - `in_doubt`: it was sent and its answer was lost. It is not sent again before reading back, or a person, has shown what
 *   became of it
 */
export type ReceiptState = "pending" | "done" | "not_done" | "partly_done" | "in_doubt";

/** The row that proves what became of a call. It is stored before the call is sent. */
export interface Receipt extends ReceiptAttempt {
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly state: ReceiptState;
  /** How many recorded requests make it complete; 0 for a call whose requests are not recorded. */
  readonly expectedSteps: number;
  /** Whose call it was; empty where callers are not told apart. */
  readonly principal: string;
  /** The item by which a person has released the call. */
  readonly itemId: number | undefined;
  readonly costMicros: number;
  readonly createdAt: number;
  readonly settledAt: number | undefined;
  /** Who has settled what was in doubt; undefined where the answer did. */
  readonly settledBy: string | undefined;
  /** Why it is in doubt or was not done, or what a person has found. */
  readonly note: string | undefined;
  /** The answer as JSON text, where there is one. */
  readonly result: string | undefined;
  /** Whether a caller has got the answer. */
  readonly isDelivered: boolean;
}

/** Calls with an equal identity are the same call. */
export interface CallIdentity {
  readonly tool: string;
  readonly args: JsonObject;
  /** A caller that gives a call a key wants it once: the same key is the same call. */
  readonly key?: string | undefined;
  /** Whose key it is, so that one caller's key is nobody else's. */
  readonly principal?: string | undefined;
}

/** Returns a digest of all arguments, equal for equal calls. */
export function argsDigestOf(scope: string, { tool, args }: CallIdentity): string {
  return digest([scope, tool, args]);
}

/** Returns a digest of the caller's key, or undefined if the call has none. */
export function claimOf(scope: string, { tool, key, principal = "" }: CallIdentity): string | undefined {
  return key === undefined ? undefined : digest([scope, tool, "key", principal, key]);
}

/**
 * The receipts of one scope, such as one account, as the guards need them. Each method is atomic, and safe against other
 * processes on the same storage. A product's own storage adds to `Claim` what else is written in the same transaction.
 */
export interface ReceiptStorage<Claim, R extends ReceiptAttempt, Refusal extends object> {
  /**
   * Writes the receipt of a call before anything of it is sent, with what it takes from budget and limits. Of several
   * equal calls, in whatever process, one gets it; one of which a part was done is continued.
   */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, Repeated<R> | Refusal>>;
  readonly stepsOf: (receiptId: string) => Promise<readonly Step[]>;
  /** Writes a step before its request leaves, or says why the request must not leave. */
  readonly beginStep: (step: Step, attempt: number, leaseUntil: number) => Promise<NotBegun | undefined>;
  /** Writes how a step ended; `undone` is what it has undone. False where another step has made the same thing. */
  readonly endStep: (step: Step, undone: string | undefined) => Promise<boolean>;
  /** Steps with an open outcome. */
  readonly openSteps: () => Promise<readonly Step[]>;
  /** Makes the outcome of a step that was refused unknown again. */
  readonly doubtStep: (step: Step) => Promise<void>;
  /** Writes how a call ended, and settles what was held for it. Undefined where another call has taken over. */
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  /** Stores the result of a call that was confirmed without one. */
  readonly saveResult: (receiptId: string, result: Json) => Promise<void>;
  /** Takes over a receipt whose outcome is open; false where another call was faster. */
  readonly takeOver: (receipt: ReceiptAttempt, leaseUntil: number) => Promise<boolean>;
  /** Receipts with an open outcome whose call is no longer running and that may be read back now, oldest first. */
  readonly abandoned: (now: number) => Promise<readonly R[]>;
  /** Whether a receipt made a thing, such as `order:123`. */
  readonly hasMade: (thing: string) => Promise<boolean>;
  /** Whether the same request was sent before without an answer, and reading back did not find it. */
  readonly wasSentBefore: (step: Step) => Promise<boolean>;
  /** The receipt of another call that continued what this one left incomplete. */
  readonly continuedBy: (receiptId: string) => Promise<string | undefined>;
  /**
   * Classifies a storage error: it refused this one write, or it cannot be used now. Undefined for a
   * defect, as every error is where this is missing.
   */
  readonly troubleOf?: (error: unknown) => "refused" | "unusable" | undefined;
}

/** The part of a storage that settling needs, for any kind of claim. */
export type StepStorage = Omit<ReceiptStorage<never, ReceiptAttempt, object>, "claim">;

export interface ReceiptAttempt {
  readonly id: string;
  /** Grows when another call takes the receipt over; a call with an old number may send nothing more. */
  readonly attempt: number;
}

/** A receipt that this call holds. */
export interface HeldReceipt extends ReceiptAttempt {
  /** The requests of earlier attempts. */
  readonly steps: readonly Step[];
}

/** The same call was made before. */
export interface Repeated<R> {
  readonly kind: "repeat";
  readonly earlier: EarlierCall<R>;
}

/** The meaning of an earlier receipt for the same call made again. */
export type EarlierCall<R> =
  /** It runs now, here or in another process; until then where that is known. */
  | { readonly kind: "running"; readonly receipt: R; readonly until?: number }
  /** Its outcome is not known. It is not sent again before that is found out, by reading back or by a person. */
  | {
      readonly kind: "in_doubt";
      readonly receipt: R;
      /** The service was asked a short while ago, and is not asked again before then. */
      readonly lookAgainAt?: number | undefined;
    }
  /** It was done moments ago: making it again is more likely a mistake than intended. */
  | { readonly kind: "just_done"; readonly receipt: R; readonly until: number }
  /** Its answer counts for this call too. */
  | { readonly kind: "done"; readonly receipt: R }
  /** Some of it was done; the same call continues with the rest. */
  | { readonly kind: "partly_done"; readonly receipt: R }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: "key_reused"; readonly receipt: R };

/** Why a step was not written: another call holds the receipt now, or has continued from the same place. */
export type NotBegun = "taken_over" | { readonly continuedBy: string };

/** The knowledge about a call when it, or the search for its outcome, ends. */
export interface CallEnding {
  readonly receiptId: string;
  readonly attempt: number;
  /** The tool's answer; undefined where it is not known. */
  readonly result?: Json | undefined;
  readonly failure?: Failure | undefined;
  /** Nothing of it was recorded, and it is not known whether it was done. */
  readonly isOpen?: boolean;
  /** How the last step ended, where that is still to be written. */
  readonly step?: Step | undefined;
  /** The outcome was read back and is still unknown: no process reads it back before then. */
  readonly lookAgainAt?: number | undefined;
  readonly now: number;
}

export interface Finished {
  /** `failed` where not all of it was done; the next equal call continues after `stepsDone`. */
  readonly state: StepState;
  /** How many requests were carried out, in this attempt and those before. */
  readonly stepsDone: number;
}
