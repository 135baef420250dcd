import type { JsonObject } from "@toolpact/contract";
import { DAY_MS, digest } from "@toolpact/contract/internal";
import type {
  BudgetCaps,
  CallEnding,
  EarlierCall,
  Expense,
  Finished,
  OverBudget,
  ReceiptStorage,
} from "@toolpact/contract/internal/guards";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { LimitNeed, PolicyLimitReached } from "../policy/limits.ts";

/**
 * For a repeated call: `day` gets the first answer for 24 hours, `until_undone` until its effect is undone,
 * `moments` is rejected for 30 seconds, `free` is a new call.
 */
export type Repeat = "day" | "until_undone" | "moments" | "free";

/** An early repeat is more likely a mistake. */
const REFUSAL_MS = 30_000;

/** Null while not undone. */
export function replayUntil(
  repeat: Repeat,
  createdAt: number,
  call: Pick<MutationIdentity, "hasKey" | "hasOwnKey"> & { readonly isApproved: boolean },
): number | null {
  // A draft is published once, however late a dead process's work continues.
  if (call.hasOwnKey) return createdAt + 366 * DAY_MS;
  switch (repeat) {
    case "day":
      return createdAt + DAY_MS;
    case "until_undone":
      return null;
    case "moments":
    case "free":
      // A keyed call is wanted once, whatever it does. An approved call's caller repeats it for the result.
      return createdAt + (call.hasKey || call.isApproved ? DAY_MS : REFUSAL_MS);
  }
}

export type EarlierMutation =
  /** Another process may run it. */
  | { readonly kind: "running"; readonly until: number }
  /** X is not asked before then. */
  | { readonly kind: "unsettled"; readonly lookAgainAt: number }
  | { readonly kind: "just_done"; readonly until: number }
  /** Its answer still counts. */
  | { readonly kind: "done" }
  /** The same call continues. */
  | { readonly kind: "partly_done" }
  /** Too long ago to matter. */
  | { readonly kind: "lapsed" };

export function earlierCall(receipt: ReceiptRow, now: number, approvalId?: number): EarlierMutation {
  const hasLapsed = isOver(receipt, now) && !isOwed(receipt, approvalId);
  switch (receipt.state) {
    case "pending":
      return receipt.lease_until > now
        ? { kind: "running", until: receipt.lease_until }
        : { kind: "unsettled", lookAgainAt: now };
    case "unknown":
      return { kind: "unsettled", lookAgainAt: receipt.lease_until };
    case "failed":
      // A failed receipt gives up its claim.
      return hasLapsed ? { kind: "lapsed" } : { kind: "partly_done" };
    case "confirmed":
      if (hasLapsed) return { kind: "lapsed" };
      // Only a caller who had the answer is rejected.
      return receipt.result_json !== null && now < receipt.created_at + REFUSAL_MS
        ? { kind: "just_done", until: receipt.created_at + REFUSAL_MS }
        : { kind: "done" };
  }
}

/** Undefined for a new call. */
export function earlierReceipt(
  receipt: ReceiptRow,
  { argsDigest }: Pick<MutationIdentity, "argsDigest">,
  now: number,
  approvalId: number | undefined,
): EarlierCall<ReceiptRow> | undefined {
  if (receipt.args_digest !== argsDigest) return { kind: "key_reused", receipt };
  const earlier = earlierCall(receipt, now, approvalId);
  if (earlier.kind === "lapsed") return undefined;
  return earlier.kind === "unsettled" ? { ...earlier, kind: "in_doubt", receipt } : { ...earlier, receipt };
}

function isOver({ replay_until }: ReceiptRow, now: number): boolean {
  return replay_until !== null && replay_until <= now;
}

/** An undelivered result goes to the next caller. An approval is released once. */
function isOwed({ state, result_json, approval_claim }: ReceiptRow, approvalId: number | undefined): boolean {
  return (
    (state === "confirmed" && result_json === null) ||
    (approvalId !== undefined && approval_claim === approvalId)
  );
}

export interface MutationIdentity {
  /** Digest of account, tool and the key, or else all arguments. */
  readonly claim: string;
  readonly argsDigest: string;
  readonly hasKey: boolean;
  /** Given by the product to one thing only. */
  readonly hasOwnKey: boolean;
}

export function identityOf(account: string, tool: string, input: JsonObject): MutationIdentity {
  const argsDigest = digest([account, tool, withoutOptions(input)]);
  const key = input[IDEMPOTENCY_KEY];
  return typeof key === "string"
    ? {
        claim: digest([account, tool, "key", key]),
        argsDigest,
        hasKey: true,
        hasOwnKey: key.startsWith(OWN_KEY),
      }
    : { claim: argsDigest, argsDigest, hasKey: false, hasOwnKey: false };
}

/** The same key is the same call. */
export const IDEMPOTENCY_KEY = "idempotency_key";
/** For keys of the product, such as of scheduled posts. */
export const OWN_KEY = "tuitbot:";
/** X charges more for links. */
export const ACCEPT_URL_PRICE = "accept_url_price";

/** For the approver; X does not get it. */
export const NOTE = "note";

/** `resume` continues a call that began without it. */
const OPTIONS: ReadonlySet<string> = new Set([IDEMPOTENCY_KEY, ACCEPT_URL_PRICE, NOTE, "resume"]);

export function withoutOptions(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !OPTIONS.has(name)));
}

/** With the other rows of these transactions. */
export interface AccountReceipts extends ReceiptStorage<MutationClaim, ReceiptRow, MutationRefusal> {
  readonly account: string;
  /** By the call, or the approval that released it. */
  readonly find: (by: ReceiptKey) => Promise<ReceiptRow | undefined>;
  readonly finish: (ending: MutationEnding) => Promise<Finished | undefined>;
  /** For at least a day, because the caller was asked to repeat the call. */
  readonly keepAnswer: (receiptId: string, now: number) => Promise<void>;
}

export interface ReceiptKey {
  readonly claim?: string | undefined;
  readonly approvalId?: number | undefined;
}

/** Passed by every other guard. */
export interface MutationClaim {
  readonly callId: string;
  readonly tool: string;
  /** Without secrets. */
  readonly args: JsonObject;
  /** For the audit entry, down to the rule. */
  readonly startedAt: number;
  readonly effect: string;
  readonly transport: string;
  readonly client: string | undefined;
  readonly decision: string;
  readonly ruleId: string | undefined;
  readonly identity: MutationIdentity;
  readonly repeat: Repeat;
  readonly approvalId?: number | undefined;
  /** No other call of the account may answer it. */
  readonly answers?: string | undefined;
  /** The number of requests in a complete call. */
  readonly expectedSteps: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly now: number;
}

export interface Needs {
  readonly expense: Omit<Expense, "now">;
  readonly caps: BudgetCaps;
  readonly limits: readonly LimitNeed[];
}

/** Besides repetition. */
export type MutationRefusal =
  | { readonly kind: "second_reply" }
  | ({ readonly kind: "budget" } & OverBudget)
  | ({ readonly kind: "limit" } & PolicyLimitReached);

/** At its end, or after reading back. */
export interface MutationEnding extends CallEnding {
  /** If this is the call's end. */
  readonly entry?: CallEnd | undefined;
}

/** For the audit log. */
export interface CallEnd {
  readonly rollback_json: string;
  readonly elapsed_ms: number;
}
