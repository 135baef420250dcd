import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import { digest, type Json, type JsonObject } from "../json.ts";
import type { Step, StepState } from "./step.ts";

/**
 * The state of an allowed call:
 * - `pending`: it was sent or is about to be, and its process still runs
 * - `done`: its answer is stored
 * - `not_done`: it is certain that nothing happened
 * - `partly_done`: some of its requests were executed; the same call continues with the rest
 * - `in_doubt`: it was sent and its answer was lost. It is not sent again until reading back, or a person, has found
 *   its outcome
 */
export type ReceiptState = "pending" | "done" | "not_done" | "partly_done" | "in_doubt";

/** The stored proof of a call's outcome. It is stored before the call is sent. */
export interface Receipt extends ReceiptAttempt {
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly state: ReceiptState;
  /** The number of recorded requests in a complete call; 0 if its requests are not recorded. */
  readonly expectedSteps: number;
  /** The caller; empty if callers are not distinguished. */
  readonly principal: string;
  /** The approved item that released the call. */
  readonly itemId: number | undefined;
  readonly costMicros: number;
  readonly createdAt: number;
  readonly settledAt: number | undefined;
  /** Who resolved the unknown outcome; undefined if the answer did. */
  readonly settledBy: string | undefined;
  /** Why its outcome is unknown or it was not done, or a person's finding. */
  readonly note: string | undefined;
  /** The answer as JSON, if there is one. */
  readonly result: string | undefined;
  /** True if a caller has received the answer. */
  readonly isDelivered: boolean;
}

/** Calls with equal identity are the same call. */
export interface CallIdentity {
  readonly tool: string;
  readonly args: JsonObject;
  /** The caller's idempotency key: the same key is the same call. */
  readonly key?: string | undefined;
  /** The owner of the key: keys of different callers are distinct. */
  readonly principal?: string | undefined;
}

/** Returns a digest of all arguments. */
export function argsDigestOf(scope: string, { tool, args }: CallIdentity): string {
  return digest([scope, tool, args]);
}

/** Returns a digest of the caller's key, or undefined if the call has none. */
export function claimOf(scope: string, { tool, key, principal = "" }: CallIdentity): string | undefined {
  return key === undefined ? undefined : digest([scope, tool, "key", principal, key]);
}

/**
 * The receipts of one scope, such as one account. Each method is atomic and safe against other
 * processes on the same storage. A product's own storage adds to `Claim` whatever it writes in the same transaction.
 */
export interface ReceiptStorage<Claim, R extends ReceiptAttempt, Refusal extends object> {
  /**
   * Writes a call's receipt before anything is sent, with its share of budget and limits. Of several
   * equal calls in any processes, one gets it; a partly executed one is continued.
   */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, Repeated<R> | Refusal>>;
  readonly stepsOf: (receiptId: string) => Promise<readonly Step[]>;
  /** Writes a step before its request is sent, or returns why it must not be sent. */
  readonly beginStep: (step: Step, attempt: number, leaseUntil: number) => Promise<NotBegun | undefined>;
  /** Writes how a step ended; `undone` is the effect it reverted. False if another step has the same effect. */
  readonly endStep: (step: Step, undone: string | undefined) => Promise<boolean>;
  /** Steps with an open outcome. */
  readonly openSteps: () => Promise<readonly Step[]>;
  /** Resets the outcome of a rejected step to unknown. */
  readonly doubtStep: (step: Step) => Promise<void>;
  /** Writes how a call ended, and settles its reservations. Undefined if another call has taken over. */
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  /** Stores the result of a call that was confirmed without one. */
  readonly saveResult: (receiptId: string, result: Json) => Promise<void>;
  /** Takes over a receipt with an open outcome; false if another call was faster. */
  readonly takeOver: (receipt: ReceiptAttempt, leaseUntil: number) => Promise<boolean>;
  /** Open receipts whose call no longer runs and that may be read back now, oldest first. */
  readonly abandoned: (now: number) => Promise<readonly R[]>;
  /** True if a receipt created a thing, such as `order:123`. */
  readonly hasMade: (thing: string) => Promise<boolean>;
  /** True if the same request was sent before without an answer, and reading back did not find it. */
  readonly wasSentBefore: (step: Step) => Promise<boolean>;
  /** The receipt of the call that continued this incomplete one. */
  readonly continuedBy: (receiptId: string) => Promise<string | undefined>;
  /**
   * Classifies a storage error: this write was rejected, or the storage is unavailable. Undefined for a
   * bug; without this function every error is one.
   */
  readonly troubleOf?: (error: unknown) => "refused" | "unusable" | undefined;
}

/** The part of a storage needed to resolve outcomes, for any kind of claim. */
export type StepStorage = Omit<ReceiptStorage<never, ReceiptAttempt, object>, "claim">;

export interface ReceiptAttempt {
  readonly id: string;
  /** Incremented when another call takes the receipt over; a call with an old number must not send anything. */
  readonly attempt: number;
}

/** A receipt that this call holds. */
export interface HeldReceipt extends ReceiptAttempt {
  /** Requests of earlier attempts. */
  readonly steps: readonly Step[];
}

/** A call that was made before. */
export interface Repeated<R> {
  readonly kind: "repeat";
  readonly earlier: EarlierCall<R>;
}

/** The meaning of an earlier receipt for an equal call. */
export type EarlierCall<R> =
  /** It runs now, here or in another process, until this time if known. */
  | { readonly kind: "running"; readonly receipt: R; readonly until?: number }
  /** Its outcome is unknown. It is not sent again before reading back, or a person, resolves it. */
  | {
      readonly kind: "in_doubt";
      readonly receipt: R;
      /** The service was read recently, and is not read again before this time. */
      readonly lookAgainAt?: number | undefined;
    }
  /** It was done moments ago: repeating it is probably a mistake. */
  | { readonly kind: "just_done"; readonly receipt: R; readonly until: number }
  /** Its answer is valid for this call too. */
  | { readonly kind: "done"; readonly receipt: R }
  /** Partly done; the same call continues with the rest. */
  | { readonly kind: "partly_done"; readonly receipt: R }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: "key_reused"; readonly receipt: R };

/** The reason a step was not written: another call holds the receipt, or has continued from the same place. */
export type NotBegun = "taken_over" | { readonly continuedBy: string };

/** The state of a call when it, or the search for its outcome, ends. */
export interface CallEnding {
  readonly receiptId: string;
  readonly attempt: number;
  /** The tool's answer; undefined if unknown. */
  readonly result?: Json | undefined;
  readonly failure?: Failure | undefined;
  /** Nothing was recorded, and the outcome is unknown. */
  readonly isOpen?: boolean;
  /** The last step's end, if it is not written yet. */
  readonly step?: Step | undefined;
  /** Read back, and still unknown: no process reads it again before this time. */
  readonly lookAgainAt?: number | undefined;
  readonly now: number;
}

export interface Finished {
  /** `failed` if it is incomplete; the next equal call continues after `stepsDone`. */
  readonly state: StepState;
  /** Executed requests, in all attempts. */
  readonly stepsDone: number;
}
