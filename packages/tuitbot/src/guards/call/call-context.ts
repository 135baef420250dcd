import { type Call, EFFECTS, type Guard, type Json, type JsonObject, type Tool } from "@toolpact/contract";
import type { Journal } from "@toolpact/contract/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import type { Agent } from "../../agents/agent.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Session } from "../../storage/store.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { AccountLedger, XBill } from "../budget/bill.ts";
import type { AccountReceipts, MutationIdentity, Repeat } from "../receipts/receipt.ts";

/** Everything that guards may add to a call, and that the services of the call are built from. */
export interface CallContext extends GivenContext {
  readonly account?: Account;
  /** The agent that makes the call, or that asked for it before a person approved it. */
  readonly agent?: Agent | undefined;
  /** For reads while X does not say who is signed in. */
  readonly ledger?: AccountLedger | undefined;
  readonly planned?: PlannedMutation | undefined;
  readonly bill?: XBill;
  readonly journal?: Pick<Journal, "beforeSend">;
}

/** The context of a call that the product makes itself. A client cannot set it. */
export interface GivenContext {
  readonly release?: Release;
  /** The call may use the idempotency keys that the product keeps for itself. */
  readonly isOwnCall?: boolean;
}

/** The approval of one call, by a user or by a delegate configured by the operator. */
export interface Release {
  readonly approvalId: number;
  readonly tool: string;
  readonly argsDigest: string;
  /** An agent has approved it. */
  readonly isByAgent?: boolean;
  /** The agent that made the call, by its id. */
  readonly askedBy?: string | undefined;
  /** The content that the approver saw and approved; undefined if there is nothing but the call itself. */
  readonly shown?: ShownToApprover | undefined;
}

/** The parts of a call that an approver saw besides its arguments, files and time. */
export interface ShownToApprover {
  readonly context: BoundContext | undefined;
  /** The price: the call may cost less by now, and not more. */
  readonly micros: Micros;
}

/**
 * The part of the context that an approval covers. It is signed with the item and read again before the call is sent:
 *
 * - the post that the call replies to, quotes, likes or deletes: its newest version, its author, and the text shown;
 * - the names of the recipients.
 *
 * Everything else may change meanwhile: like counts, the thread above, display names. Parts that could not be read
 * are left out, because the approver did not see them. So is the alternative text of an upload, which X does not return
 * before the post is published. Text, files, time and recipients' ids are in the item itself.
 */
export type BoundContext = {
  readonly post?: { readonly id: string; readonly author: string | null; readonly text: string | null };
  readonly people?: readonly { readonly id: string; readonly username: string }[];
};

/** The account that a call acts for, with its storage. */
export interface Account extends Session {
  readonly receipts: AccountReceipts;
  readonly ledger: AccountLedger;
  /** An agent whether it may call now or not: what it has begun is on its account. */
  readonly findAgent: (name: string) => Promise<Agent | undefined>;
}

/** One mutation on its way through the guards. */
export interface PlannedMutation<Plan extends MutationPlan = MutationPlan> {
  readonly mutation: Plan;
  readonly identity: MutationIdentity;
  /** The approval that releases it, if one does. */
  readonly release: Release | undefined;
  readonly record: MutationRecord;
}

/** Decisions and actions of the guards on a mutation, for the budget and the audit log. */
export interface MutationRecord {
  decision: string;
  ruleId: string | undefined;
  approvalId: number | undefined;
  receiptId: string | undefined;
  /** The audit log has everything about it, written with its receipt. */
  isAudited?: boolean;
  /** State of the receipt that this call holds; undefined if it holds none. */
  receiptState?: ReceiptRow["state"];
  /** X's estimated charge. */
  estimated: Micros;
  /** X's charge; undefined while it is not known. */
  paid: Micros | undefined;
}

/** The plan of a call that changes something. */
export interface MutationPlan {
  readonly repeat: Repeat;
  /** Requests that are charged for, in order. */
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  /** How many requests make it complete. */
  readonly expectedSteps: number;
  /** A higher price than the caller may expect, which needs their consent. */
  readonly surcharge: Surcharge | undefined;
  readonly rollback: (result: Json) => Rollback;
}

/** Links with X's surcharge. */
export interface Surcharge {
  readonly links: readonly string[];
  readonly micros: Micros;
  readonly plainMicros: Micros;
}

/** How to undo what a tool has done. */
export interface Rollback {
  readonly reversible: boolean;
  readonly undo_tool?: string;
  /** Arguments of the call that undoes it. */
  readonly params?: JsonObject;
  /** Arguments of the calls that undo it, in order, if one is not enough. */
  readonly calls?: readonly JsonObject[];
  readonly note?: string;
}

/** Metadata that guards add to an answer. */
export type Annotations = JsonObject;

/** A guard whose only knowledge of X is the plan in the context. */
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

/** The cost of a mutation's requests. */
export function costOf(requests: MutationPlan["requests"]): Micros {
  return requests.reduce((sum, { micros }) => sum + micros, 0);
}

/** Whether the same call made again may be refused or answered from its receipt, and so takes a key of the caller. */
export function takesKey({ effects }: Pick<Tool, "effects">): boolean {
  return effects.some((effect) => EFFECTS[effect].guarded);
}
