import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import { digest, type Json, type JsonObject } from "../json.ts";
import type { Step, StepState } from "./step.ts";

/**
 * `pending`: sent or about to be, by a running process. `not_done`: nothing happened for certain.
 * `partly_done`: the same call continues with the rest. `in_doubt`: its answer was lost, and it is not sent
 * again until reading back, or a person, finds the outcome.
 */
export type ReceiptState = "pending" | "done" | "not_done" | "partly_done" | "in_doubt";

/** The proof of a call's outcome, stored before the call is sent. */
export interface Receipt extends ReceiptAttempt {
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly state: ReceiptState;
  /** The requests of a complete call; 0 if they are not recorded. */
  readonly expectedSteps: number;
  /** Empty if callers are not distinguished. */
  readonly principal: string;
  readonly itemId: number | undefined;
  readonly costMicros: number;
  readonly createdAt: number;
  readonly settledAt: number | undefined;
  /** Undefined if the answer resolved it. */
  readonly settledBy: string | undefined;
  /** Why it is unknown or was not done, or a person's finding. */
  readonly note: string | undefined;
  readonly result: string | undefined;
  readonly isDelivered: boolean;
}

/** Calls with equal identity are the same call. */
export interface CallIdentity {
  readonly tool: string;
  readonly args: JsonObject;
  readonly key?: string | undefined;
  /** Keys of different callers are distinct. */
  readonly principal?: string | undefined;
}

export function argsDigestOf(scope: string, { tool, args }: CallIdentity): string {
  return digest([scope, tool, args]);
}

export function claimOf(scope: string, { tool, key, principal = "" }: CallIdentity): string | undefined {
  return key === undefined ? undefined : digest([scope, tool, "key", principal, key]);
}

/** The receipts of one scope, such as an account. Each method is atomic across processes. */
export interface ReceiptStorage<Claim, R extends ReceiptAttempt, Refusal extends object> {
  /** Writes a receipt before anything is sent. Of several equal calls, one gets it and may continue a partial one. */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, Repeated<R> | Refusal>>;
  readonly stepsOf: (receiptId: string) => Promise<readonly Step[]>;
  /** Writes a step before its request is sent, or returns why not. */
  readonly beginStep: (step: Step, attempt: number, leaseUntil: number) => Promise<NotBegun | undefined>;
  /** `undone` is the effect it reverted. False if another step has the same effect. */
  readonly endStep: (step: Step, undone: string | undefined) => Promise<boolean>;
  readonly openSteps: () => Promise<readonly Step[]>;
  readonly doubtStep: (step: Step) => Promise<void>;
  /** Settles the reservations too. Undefined if another call has taken over. */
  readonly finish: (ending: CallEnding) => Promise<Finished | undefined>;
  readonly saveResult: (receiptId: string, result: Json) => Promise<void>;
  /** False if another call was faster. */
  readonly takeOver: (receipt: ReceiptAttempt, leaseUntil: number) => Promise<boolean>;
  /** Open receipts that no process runs and that may be read back now, oldest first. */
  readonly abandoned: (now: number) => Promise<readonly R[]>;
  /** `thing` is such as `order:123`. */
  readonly hasMade: (thing: string) => Promise<boolean>;
  /** True if the same request was sent before, unanswered, and reading back did not find it. */
  readonly wasSentBefore: (step: Step) => Promise<boolean>;
  readonly continuedBy: (receiptId: string) => Promise<string | undefined>;
  /** Whether this write was rejected or the storage is unavailable; undefined for a bug. */
  readonly troubleOf?: (error: unknown) => "refused" | "unusable" | undefined;
}

/** Enough to resolve outcomes, for any kind of claim. */
export type StepStorage = Omit<ReceiptStorage<never, ReceiptAttempt, object>, "claim">;

export interface ReceiptAttempt {
  readonly id: string;
  /** Incremented when another call takes over; the old call must not send anything then. */
  readonly attempt: number;
}

export interface HeldReceipt extends ReceiptAttempt {
  readonly steps: readonly Step[];
}

export interface Repeated<R> {
  readonly kind: "repeat";
  readonly earlier: EarlierCall<R>;
}

export type EarlierCall<R> =
  /** Here or in another process, until this time if known. */
  | { readonly kind: "running"; readonly receipt: R; readonly until?: number }
  /** Not sent again before reading back, or a person, resolves it. */
  | {
      readonly kind: "in_doubt";
      readonly receipt: R;
      /** Read recently, and not again before this time. */
      readonly lookAgainAt?: number | undefined;
    }
  /** So recently that repeating it is probably a mistake. */
  | { readonly kind: "just_done"; readonly receipt: R; readonly until: number }
  | { readonly kind: "done"; readonly receipt: R }
  | { readonly kind: "partly_done"; readonly receipt: R }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: "key_reused"; readonly receipt: R };

/** Another call holds the receipt, or has continued from the same place. */
export type NotBegun = "taken_over" | { readonly continuedBy: string };

export interface CallEnding {
  readonly receiptId: string;
  readonly attempt: number;
  readonly result?: Json | undefined;
  readonly failure?: Failure | undefined;
  readonly isOpen?: boolean;
  /** The last step, if its end is not written yet. */
  readonly step?: Step | undefined;
  /** Still unknown after a read: no process reads again before this time. */
  readonly lookAgainAt?: number | undefined;
  readonly now: number;
}

export interface Finished {
  /** `failed` if incomplete; the next equal call continues after `stepsDone`. */
  readonly state: StepState;
  /** In all attempts. */
  readonly stepsDone: number;
}
