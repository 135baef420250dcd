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
 * The treatment of the same call made again:
 * - `day`: for 24 hours it gets the first answer
 * - `until_undone`: it gets the first answer until what it did is undone
 * - `moments`: it is refused for 30 seconds, then it is a new call
 * - `free`: it is a new call at once
 */
export type Repeat = "day" | "until_undone" | "moments" | "free";

/** Within this time a repeated call is refused, not answered: it is more likely a mistake than intended. */
const REFUSAL_MS = 30_000;

/** The time from which the same call may be made again; null while it is not undone. */
export function replayUntil(
  repeat: Repeat,
  createdAt: number,
  call: Pick<MutationIdentity, "hasKey" | "hasOwnKey"> & { readonly isApproved: boolean },
): number | null {
  // A draft is published once, however late another process continues what a dead one left; a year is long enough.
  if (call.hasOwnKey) return createdAt + 366 * DAY_MS;
  switch (repeat) {
    case "day":
      return createdAt + DAY_MS;
    case "until_undone":
      return null;
    case "moments":
    case "free":
      // A caller that gives a call a key wants it once, whatever it does. And the caller of an approved call has only
      // heard that it waits: the same call asks for the result.
      return createdAt + (call.hasKey || call.isApproved ? DAY_MS : REFUSAL_MS);
  }
}

/** The meaning of an earlier receipt for the same call made again. */
export type EarlierMutation =
  /** A call with it is running. */
  | { readonly kind: "running"; readonly until: number }
  /** Its outcome is not known, and has to be found out before anything is sent. X is not asked before then. */
  | { readonly kind: "unsettled"; readonly lookAgainAt: number }
  /** It was done moments ago. */
  | { readonly kind: "just_done"; readonly until: number }
  /** It was done, and its answer still counts. */
  | { readonly kind: "done" }
  /** Some of it was done; the same call continues with the rest. */
  | { readonly kind: "partly_done" }
  /** It was done too long ago to matter. */
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
      // A failed receipt with nothing done gives up its claim.
      return hasLapsed ? { kind: "lapsed" } : { kind: "partly_done" };
    case "confirmed":
      if (hasLapsed) return { kind: "lapsed" };
      // Only a caller that had the answer is refused.
      return receipt.result_json !== null && now < receipt.created_at + REFUSAL_MS
        ? { kind: "just_done", until: receipt.created_at + REFUSAL_MS }
        : { kind: "done" };
  }
}

/** The same as the guards see it; undefined where the call is a new one. */
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

/** A result that no caller has received is given to the next one, however late. And an approval is released once. */
function isOwed({ state, result_json, approval_claim }: ReceiptRow, approvalId: number | undefined): boolean {
  return (
    (state === "confirmed" && result_json === null) ||
    (approvalId !== undefined && approval_claim === approvalId)
  );
}

/** Calls with an equal identity are the same call. */
export interface MutationIdentity {
  /** Digest of account, tool and the caller's key, or of all arguments without a key. */
  readonly claim: string;
  /** Digest of account, tool and all arguments. */
  readonly argsDigest: string;
  readonly hasKey: boolean;
  /** The key is the product's own, which it gives to one thing only. */
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

/** The argument that names a call: the same key is the same call, another key another call. */
export const IDEMPOTENCY_KEY = "idempotency_key";
/** The prefix of keys that only the product itself may use, such as that of a scheduled post. */
export const OWN_KEY = "tuitbot:";
/** The argument that accepts what X charges for a post with a link. */
export const ACCEPT_URL_PRICE = "accept_url_price";

/** The argument with which an agent explains a call to the approver. It is never sent to X. */
export const NOTE = "note";

/** Arguments that do not change what a call does. `resume` continues a call that began without it. */
const OPTIONS: ReadonlySet<string> = new Set([IDEMPOTENCY_KEY, ACCEPT_URL_PRICE, NOTE, "resume"]);

export function withoutOptions(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !OPTIONS.has(name)));
}

/** The receipts of one account, with the other rows written in the transactions that claim and finish them. */
export interface AccountReceipts extends ReceiptStorage<MutationClaim, ReceiptRow, MutationRefusal> {
  readonly account: string;
  /** The receipt of a call, or of the approval that released one. */
  readonly find: (by: ReceiptKey) => Promise<ReceiptRow | undefined>;
  readonly finish: (ending: MutationEnding) => Promise<Finished | undefined>;
  /** Keeps the answer of a call for a day at least, because its caller was asked to make it again. */
  readonly keepAnswer: (receiptId: string, now: number) => Promise<void>;
}

export interface ReceiptKey {
  readonly claim?: string | undefined;
  readonly approvalId?: number | undefined;
}

/** A mutation that every other guard has let through. */
export interface MutationClaim {
  readonly callId: string;
  readonly tool: string;
  /** Arguments without secrets. */
  readonly args: JsonObject;
  /** From here to the rule: for the audit log, which has an entry of the call from then on. */
  readonly startedAt: number;
  readonly effect: string;
  readonly transport: string;
  readonly client: string | undefined;
  readonly decision: string;
  readonly ruleId: string | undefined;
  readonly identity: MutationIdentity;
  readonly repeat: Repeat;
  readonly approvalId?: number | undefined;
  /** The target that no other call of the account may answer, such as somebody's post. */
  readonly answers?: string | undefined;
  /** How many requests make it complete. */
  readonly expectedSteps: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly now: number;
}

/** The money and places that a mutation takes before it may begin. */
export interface Needs {
  readonly expense: Omit<Expense, "now">;
  readonly caps: BudgetCaps;
  readonly limits: readonly LimitNeed[];
}

/** Why a call is not let through, besides that it was made before. */
export type MutationRefusal =
  /** Another call of the account has answered it. */
  | { readonly kind: "second_reply" }
  | ({ readonly kind: "budget" } & OverBudget)
  | ({ readonly kind: "limit" } & PolicyLimitReached);

/** The known facts about a mutation when its call, or the search for its outcome, ends. */
export interface MutationEnding extends CallEnding {
  /** More members of the call's audit entry, if this is its end. */
  readonly entry?: CallEnd | undefined;
}

/** How a call that was carried out ended, as the audit log keeps it. */
export interface CallEnd {
  readonly rollback_json: string;
  readonly elapsed_ms: number;
}
