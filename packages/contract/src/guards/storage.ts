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
 * The guards' shared memory across processes: receipts with their share of budget and limits, calls that wait
 * for approval, and the audit log, all for one scope, such as a server or an account. Each method is atomic, and safe
 * against other processes on the same storage.
 */
export interface GuardStorage extends ReceiptStorage<Claim, Receipt, ClaimRefusal> {
  readonly scope: string;
  /** See `ReceiptStorage`. With `isTrial`, only checks whether the call would be allowed. */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, NotClaimed>>;
  /** Renews the lease: the sending process still runs. */
  readonly renew: (held: ReceiptAttempt, leaseUntil: number) => Promise<void>;
  /** Marks the answer as received: the next equal call is a new one. */
  readonly delivered: (receiptId: string) => Promise<void>;
  readonly receipt: (id: string) => Promise<Receipt | undefined>;
  /** Calls that were sent and whose answer was lost, oldest first. */
  readonly inDoubt: (now: number) => Promise<readonly Receipt[]>;
  /** Stores a person's finding about an unknown outcome. False if it is already known. */
  readonly resolve: (receiptId: string, finding: PersonsFinding, now: number) => Promise<boolean>;
  /** Money spent and reserved. */
  readonly spent: (now: number) => Promise<Spent>;
  /**
   * Adds a call, or finds it: the same call in the same `context` waits once. A waiting item whose `context` has
   * changed is replaced. An approved one is withdrawn, and the caller must propose again.
   */
  readonly propose: (
    proposal: Proposal,
  ) => Promise<
    Outcome<ApprovalItem, Extract<Refusal<never>, { kind: "inbox_full" | "changed_since_approval" }>>
  >;
  readonly item: (id: number) => Promise<ApprovalItem | undefined>;
  /** Oldest first; overdue items are `expired`. */
  readonly items: (status: ItemStatus, now: number) => Promise<readonly ApprovalItem[]>;
  /** Those of these items that no longer wait, oldest first, up to a maximum. */
  readonly decided: (ids: readonly number[], most: number, now: number) => Promise<readonly ApprovalItem[]>;
  /** Items approved or rejected from then on, oldest first. */
  readonly decidedSince: (since: number) => Promise<readonly ApprovalItem[]>;
  /** Approved items not yet sent, for which no caller waits. */
  readonly releasable: (now: number) => Promise<readonly ApprovalItem[]>;
  /** How long a caller waits for the item and sends it itself once approved. */
  readonly hold: (id: number, until: number) => Promise<void>;
  /**
   * Decides an item, once. One that needs several people waits, with this vote, for the last of them. False if it
   * no longer waits, has changed since it was shown, or needs several people and `by` names none.
   */
  readonly decide: (decision: Decision) => Promise<boolean>;
  readonly record: (record: StoredRecord) => Promise<void>;
  /** The newest records first. */
  readonly records: (limit: number) => Promise<readonly StoredRecord[]>;
  readonly close: () => Promise<void>;
}

/** A call allowed by every other guard. */
export interface Claim extends CallIdentity {
  /** How long an equal call without a key gets the first answer; 0 makes it a new call once answered. */
  readonly sameCallMs: number;
  readonly now: number;
  readonly receiptId: string;
  /** The approved item used by the call. */
  readonly itemId?: number | undefined;
  /** The current state the call depends on: the item must be for the same state. */
  readonly context?: JsonObject | undefined;
  /** The number of approvers needed now: the item must not be for fewer. */
  readonly peopleNeeded?: number | undefined;
  /** It changes nothing: it may run again at any time, and its outcome is never unknown. */
  readonly isRead?: boolean;
  /** The number of recorded requests in a complete call; default 0, for unrecorded requests. */
  readonly expectedSteps?: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly isTrial?: boolean;
}

/** The money and slots a call uses. */
export interface Needs {
  readonly costMicros: Micros;
  /** A caller is one principal. */
  readonly caps: BudgetCaps;
  readonly limits: readonly RateLimit[];
}

export type NotClaimed = Repeated<Receipt> | ClaimRefusal;

/** A person's finding about an unknown outcome. */
export interface PersonsFinding {
  readonly isDone: boolean;
  readonly by: string;
  readonly note: string;
}

/** A call that needs approval. */
export interface Proposal extends CallIdentity {
  /** The reason it needs approval. */
  readonly reason: string;
  /** The state the call depends on: it is shown, and an approval is valid for it only. */
  readonly context?: JsonObject | undefined;
  /** The number of required approvers; default one. */
  readonly peopleNeeded?: number | undefined;
  readonly expiresAt: number;
  readonly now: number;
  readonly client?: string | undefined;
  /** The caller waits for it until this time. */
  readonly heldUntil: number;
}

/** A person's decision about a waiting call. */
export interface Decision {
  readonly id: number;
  /** The digest of the shown content. */
  readonly digest: string;
  readonly approve: boolean;
  /** Who decided, in the format of `personVia`. */
  readonly by: string;
  readonly note: string;
  readonly now: number;
}

/** An audit record with its fields for the guards. */
export interface StoredRecord extends AuditRecord {
  readonly decision: string;
  readonly itemId?: number | undefined;
  readonly receiptId?: string | undefined;
}
