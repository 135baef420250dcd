import type { Outcome } from "@toolpact/outcome";
import type { JsonObject } from "../json.ts";
import type { AuditRecord } from "../observers/audit.ts";
import type { ApprovalItem, ItemStatus } from "./approval-item.ts";
import type { BudgetCaps, Spent } from "./caps.ts";
import type { Micros } from "./money.ts";
import type {
  CallIdentity,
  HeldReceipt,
  Receipt,
  ReceiptAttempt,
  ReceiptStorage,
  Repeated,
} from "./receipt.ts";
import type { ClaimRefusal, RateLimit, Refusal } from "./refusals.ts";

/**
 * Receipts, budget, limits, waiting calls and the audit log of one scope, such as an account. Each method is
 * atomic across processes.
 */
export interface GuardStorage extends ReceiptStorage<Claim, Receipt, ClaimRefusal> {
  readonly scope: string;
  /** With `isTrial`, only checks whether the call would be allowed. */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, NotClaimed>>;
  /** Then the next equal call is new. */
  readonly renew: (held: ReceiptAttempt, leaseUntil: number) => Promise<void>;
  /** Then the next equal call is new. */
  readonly delivered: (receiptId: string) => Promise<void>;
  readonly receipt: (id: string) => Promise<Receipt | undefined>;
  /** Calls with a lost answer, oldest first. */
  readonly inDoubt: (now: number) => Promise<readonly Receipt[]>;
  /** False if the outcome is already known. */
  readonly resolve: (receiptId: string, finding: PersonsFinding, now: number) => Promise<boolean>;
  readonly spent: (now: number) => Promise<Spent>;
  /**
   * Adds a call, or finds the same call in the same `context`. If the context changed, a waiting item is
   * replaced; an approved one is withdrawn, and the caller must propose again.
   */
  readonly propose: (
    proposal: Proposal,
  ) => Promise<
    Outcome<ApprovalItem, Extract<Refusal<never>, { kind: "inbox_full" | "changed_since_approval" }>>
  >;
  readonly item: (id: number) => Promise<ApprovalItem | undefined>;
  /** Oldest first; overdue items are `expired`. */
  readonly items: (status: ItemStatus, now: number) => Promise<readonly ApprovalItem[]>;
  /** Those that no longer wait, oldest first, at most `most`. */
  readonly decided: (ids: readonly number[], most: number, now: number) => Promise<readonly ApprovalItem[]>;
  /** Approved or rejected since then, oldest first. */
  readonly decidedSince: (since: number) => Promise<readonly ApprovalItem[]>;
  /** Approved, unsent, and without a waiting caller. */
  readonly releasable: (now: number) => Promise<readonly ApprovalItem[]>;
  /** Lets one of the processes that found it releasable send it, until then. False for all others. */
  readonly takeReleasable: (id: number, now: number, until: number) => Promise<boolean>;
  /** The caller waits and sends it until then. */
  readonly hold: (id: number, until: number) => Promise<void>;
  /** Decides or votes, once. False if the item no longer waits, has changed, or needs a name that `by` lacks. */
  readonly decide: (decision: Decision) => Promise<boolean>;
  readonly record: (record: StoredRecord) => Promise<void>;
  /** Newest first. */
  readonly records: (limit: number) => Promise<readonly StoredRecord[]>;
  readonly close: () => Promise<void>;
}

export interface Claim extends CallIdentity {
  /** How long an equal call without a key gets the first answer; 0 for never after an answer. */
  readonly sameCallMs: number;
  readonly now: number;
  readonly receiptId: string;
  readonly itemId?: number | undefined;
  /** The item must be for this state. */
  readonly context?: JsonObject | undefined;
  /** The item must not be for fewer approvers. */
  readonly peopleNeeded?: number | undefined;
  /** It may run again at any time, and its outcome is always known. */
  readonly isRead?: boolean;
  /** Requests of a complete call; default 0 for unrecorded ones. */
  readonly expectedSteps?: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly isTrial?: boolean;
}

export interface Needs {
  readonly costMicros: Micros;
  /** A caller is one principal. */
  readonly caps: BudgetCaps;
  readonly limits: readonly RateLimit[];
}

export type NotClaimed = Repeated<Receipt> | ClaimRefusal;

export interface PersonsFinding {
  readonly isDone: boolean;
  readonly by: string;
  readonly note: string;
}

export interface Proposal extends CallIdentity {
  readonly reason: string;
  /** Shown to the approver; the approval is valid for this state only. */
  readonly context?: JsonObject | undefined;
  readonly peopleNeeded?: number | undefined;
  readonly expiresAt: number;
  readonly now: number;
  readonly client?: string | undefined;
  /** The caller waits until then. */
  readonly heldUntil: number;
}

/** A person's decision about a waiting call. */
export interface Decision {
  readonly id: number;
  /** The digest of the shown content. */
  readonly digest: string;
  readonly approve: boolean;
  readonly by: string;
  readonly note: string;
  readonly now: number;
}

export interface StoredRecord extends AuditRecord {
  readonly decision: string;
  readonly itemId?: number | undefined;
  readonly receiptId?: string | undefined;
}
