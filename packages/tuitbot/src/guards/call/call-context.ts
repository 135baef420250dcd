import { type Call, EFFECTS, type Guard, type Json, type JsonObject, type Tool } from "@toolpact/contract";
import type { Journal } from "@toolpact/contract/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import type { Agent } from "../../agents/agent.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Session } from "../../storage/store.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { AccountLedger, XBill } from "../budget/bill.ts";
import type { AccountReceipts, MutationIdentity, Repeat } from "../receipts/receipt.ts";

/** Added by guards, for services. */
export interface CallContext extends GivenContext {
  readonly account?: Account;
  /** It makes the call, or requested it before approval. */
  readonly agent?: Agent | undefined;
  /** For reads while the account is unknown. */
  readonly ledger?: AccountLedger | undefined;
  readonly planned?: PlannedMutation | undefined;
  readonly bill?: XBill;
  readonly journal?: Pick<Journal, "beforeSend">;
}

/** For the product's own calls. Clients cannot set it. */
export interface GivenContext {
  readonly release?: Release;
  /** May use the product's reserved keys. */
  readonly isOwnCall?: boolean;
}

/** By a user or a configured delegate. */
export interface Release {
  readonly approvalId: number;
  readonly tool: string;
  readonly argsDigest: string;
  readonly isByAgent?: boolean;
  readonly askedBy?: string | undefined;
  /** Undefined if there is nothing but the call. */
  readonly shown?: ShownToApprover | undefined;
}

/** Besides arguments, files and time. */
export interface ShownToApprover {
  readonly context: BoundContext | undefined;
  /** The call may cost less by now, but not more. */
  readonly micros: Micros;
}

/**
 * Approved and signed with the item, and read again before sending: the newest version, author and text of
 * the post, and the recipients' names.
 *
 * Everything else may change, such as like counts. Unreadable parts are left out, because the approver did
 * not see them.
 */
export type BoundContext = {
  readonly post?: { readonly id: string; readonly author: string | null; readonly text: string | null };
  readonly people?: readonly { readonly id: string; readonly username: string }[];
};

export interface Account extends Session {
  readonly receipts: AccountReceipts;
  readonly ledger: AccountLedger;
  /** Even if it may not call now: it pays for what it began. */
  readonly findAgent: (name: string) => Promise<Agent | undefined>;
}

export interface PlannedMutation<Plan extends MutationPlan = MutationPlan> {
  readonly mutation: Plan;
  readonly identity: MutationIdentity;
  readonly release: Release | undefined;
  readonly record: MutationRecord;
}

/** For the budget and the audit log. */
export interface MutationRecord {
  decision: string;
  ruleId: string | undefined;
  approvalId: number | undefined;
  receiptId: string | undefined;
  /** Its receipt wrote everything. */
  isAudited?: boolean;
  /** Undefined if it holds none. */
  receiptState?: ReceiptRow["state"];
  /** Estimated. */
  estimated: Micros;
  /** Undefined while unknown. */
  paid: Micros | undefined;
}

export interface MutationPlan {
  readonly repeat: Repeat;
  /** Only charged ones, in order. */
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  /** The number of requests in a complete call. */
  readonly expectedSteps: number;
  /** Needs the caller's consent. */
  readonly surcharge: Surcharge | undefined;
  readonly rollback: (result: Json) => Rollback;
}

export interface Surcharge {
  readonly links: readonly string[];
  readonly micros: Micros;
  readonly plainMicros: Micros;
}

export interface Rollback {
  readonly reversible: boolean;
  readonly undo_tool?: string;
  /** For one call. */
  readonly params?: JsonObject;
  /** For several, in order. */
  readonly calls?: readonly JsonObject[];
  readonly note?: string;
}

export type Annotations = JsonObject;

/** It knows X only by the plan. */
export type TuitbotGuard<Dependencies, Requires, Adds = object> = Guard<
  unknown,
  unknown,
  Annotations,
  Dependencies,
  Requires,
  Adds,
  ErrorCode
>;

export type TuitbotCall<Context> = Call<unknown, unknown, Annotations, Context>;

export function costOf(requests: MutationPlan["requests"]): Micros {
  return requests.reduce((sum, { micros }) => sum + micros, 0);
}

/** True if a repeat may be rejected or replayed. */
export function takesKey({ effects }: Pick<Tool, "effects">): boolean {
  return effects.some((effect) => EFFECTS[effect].guarded);
}
