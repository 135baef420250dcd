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
 * The memory of the guards across processes: receipts, with what each took from budget and limits, calls that wait
 * for a person, and the audit log. All of one scope, such as one server or one account. Each method is atomic, and safe
 * against other processes on the same storage.
 */
export interface GuardStorage extends ReceiptStorage<Claim, Receipt, ClaimRefusal> {
  readonly scope: string;
  /** As every storage of receipts. With `isTrial`, it only says whether the call would be let through. */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, NotClaimed>>;
  /** Says that whoever sends it still lives. */
  readonly renew: (held: ReceiptAttempt, leaseUntil: number) => Promise<void>;
  /** A caller has the answer: the next equal call is a new one. */
  readonly delivered: (receiptId: string) => Promise<void>;
  readonly receipt: (id: string) => Promise<Receipt | undefined>;
  /** Calls that were sent and whose answer was lost, oldest first. */
  readonly inDoubt: (now: number) => Promise<readonly Receipt[]>;
  /** Stores what a person found out about a call with an unknown outcome. False if it is already known. */
  readonly resolve: (receiptId: string, finding: PersonsFinding, now: number) => Promise<boolean>;
  /** Money that was spent and is held. */
  readonly spent: (now: number) => Promise<Spent>;
  /**
   * Adds a call, or finds it: the same call on the same `context` waits once. A waiting item whose `context` has changed is
   * replaced. An approved one is withdrawn, and the caller has to propose again.
   */
  readonly propose: (
    proposal: Proposal,
  ) => Promise<
    Outcome<ApprovalItem, Extract<Refusal<never>, { kind: "inbox_full" | "changed_since_approval" }>>
  >;
  readonly item: (id: number) => Promise<ApprovalItem | undefined>;
  /** Oldest first; what has passed its time is `expired`. */
  readonly items: (status: ItemStatus, now: number) => Promise<readonly ApprovalItem[]>;
  /** Those of these items that wait no more, at most so many, oldest first. */
  readonly decided: (ids: readonly number[], most: number, now: number) => Promise<readonly ApprovalItem[]>;
  /** Approved items that nobody has sent and no caller waits for. */
  readonly releasable: (now: number) => Promise<readonly ApprovalItem[]>;
  /** For so long, a caller waits for the item itself and sends it once it is approved. */
  readonly hold: (id: number, until: number) => Promise<void>;
  /**
   * Settles an item, once. One that needs several people waits, with this yes, until the last of them. False where it does
   * not wait any more, is not what the person has seen, or needs several people and `by` names none.
   */
  readonly decide: (decision: Decision) => Promise<boolean>;
  readonly record: (record: StoredRecord) => Promise<void>;
  /** The newest records first. */
  readonly records: (limit: number) => Promise<readonly StoredRecord[]>;
  readonly close: () => Promise<void>;
}

/** A call that every other guard has let through. */
export interface Claim extends CallIdentity {
  /** For this long an equal call without a key gets the first answer; 0 makes it a new call once it was answered. */
  readonly sameCallMs: number;
  readonly now: number;
  readonly receiptId: string;
  /** The approved item that the call uses up. */
  readonly itemId?: number | undefined;
  /** The state that the call depends on now: the item has to be for the same state. */
  readonly context?: JsonObject | undefined;
  /** How many people have to approve it now: the item must not be for fewer. */
  readonly peopleNeeded?: number | undefined;
  /** It changes nothing: it may be made again at any time, and is never in doubt. */
  readonly isRead?: boolean;
  /** How many recorded requests make it complete; 0 unless given, for a call whose requests are not recorded. */
  readonly expectedSteps?: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly isTrial?: boolean;
}

/** The money and places that a call takes. */
export interface Needs {
  readonly costMicros: Micros;
  /** A caller is one principal. */
  readonly caps: BudgetCaps;
  readonly limits: readonly RateLimit[];
}

export type NotClaimed = Repeated<Receipt> | ClaimRefusal;

/** The result of a person who checked a call with an unknown outcome. */
export interface PersonsFinding {
  readonly isDone: boolean;
  readonly by: string;
  readonly note: string;
}

/** A call that needs a person. */
export interface Proposal extends CallIdentity {
  /** Why it needs a person. */
  readonly reason: string;
  /** The state that the call depends on: it is shown, and an approval holds for it only. */
  readonly context?: JsonObject | undefined;
  /** How many different people have to approve it; one unless given. */
  readonly peopleNeeded?: number | undefined;
  readonly expiresAt: number;
  readonly now: number;
  readonly client?: string | undefined;
  /** Until then the caller waits for it. */
  readonly heldUntil: number;
}

/** The decision of a person about a call that waits. */
export interface Decision {
  readonly id: number;
  /** The digest of what the person has seen. */
  readonly digest: string;
  readonly approve: boolean;
  /** Who decided, as `personVia` says it. */
  readonly by: string;
  readonly note: string;
  readonly now: number;
}

/** A record of the audit log, with what the guards have to do with it. */
export interface StoredRecord extends AuditRecord {
  readonly decision: string;
  readonly itemId?: number | undefined;
  readonly receiptId?: string | undefined;
}
