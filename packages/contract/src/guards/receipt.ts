import { digest, type JsonObject } from "../json.ts";
import type { ReceiptAttempt } from "./receipt-storage.ts";

/**
 * What is known of a call that was let through:
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

/** What makes two calls the same. */
export interface CallIdentity {
  readonly tool: string;
  readonly args: JsonObject;
  /** A caller that gives a call a key wants it once: the same key is the same call. */
  readonly key?: string | undefined;
  /** Whose key it is, so that one caller's key is nobody else's. */
  readonly principal?: string | undefined;
}

/** Of all arguments: equal for equal calls. */
export function argsDigestOf(scope: string, { tool, args }: CallIdentity): string {
  return digest([scope, tool, args]);
}

/** Of the caller's key; undefined where the call has none. */
export function claimOf(scope: string, { tool, key, principal = "" }: CallIdentity): string | undefined {
  return key === undefined ? undefined : digest([scope, tool, "key", principal, key]);
}
