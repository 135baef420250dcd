import { AsyncLocalStorage } from "node:async_hooks";
import type { Json, JsonObject, Next } from "@toolpact/contract";
import type { Session } from "../storage/session.ts";
import type { BudgetLedger } from "./budget/bill.ts";
import type { Micros } from "./budget/money.ts";
import type { CallIdentity } from "./receipts/call-identity.ts";
import type { Receipt, Repeat } from "./receipts/receipt.ts";
import type { Needs, ReceiptStorage } from "./receipts/receipt-storage.ts";

/** What the guards know about a call that changes something, without carrying it out. */
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

/** Links for which X charges more. */
export interface Surcharge {
  readonly links: readonly string[];
  readonly micros: Micros;
  readonly plainMicros: Micros;
}

/** How to undo what a tool has done. */
export interface Rollback {
  readonly reversible: boolean;
  readonly undo_tool?: string;
  readonly params?: JsonObject;
  readonly note?: string;
}

/** What the guards of one mutation tell each other. */
export interface MutationContext<Plan extends MutationPlan = MutationPlan> extends Session {
  readonly receipts: ReceiptStorage;
  readonly ledger: BudgetLedger;
  /** Its price may turn out to be lower on the way. */
  mutation: Plan;
  readonly identity: CallIdentity;
  /** The approval that releases it, if one does. */
  readonly release: Release | undefined;
  /** What the policy decided, for the audit. */
  decision: string;
  ruleId: string | undefined;
  approvalId: number | undefined;
  receiptId: string | undefined;
  limits: Needs["limits"];
  /** The post of somebody else that it answers. */
  answers: string | undefined;
  /** What X has charged for it; undefined while that is not known. */
  paid: Micros | undefined;
  /** It was done before; only its answer has to be found again, and nothing may be sent. */
  rebuilds: Receipt | undefined;
}

/** What a guard answers with, or gets from the guards behind it. */
export type GuardOutcome = Awaited<ReturnType<Next>>;

/** A person's approval on its way through the pipeline. It cannot be made by anything that comes from a client. */
export interface Release {
  readonly approvalId: number;
  readonly tool: string;
  readonly argsDigest: string;
}

export const releases: AsyncLocalStorage<Release> = new AsyncLocalStorage();

/** What the requests of a mutation cost. */
export function costOf(requests: MutationPlan["requests"]): Micros {
  return requests.reduce((sum, { micros }) => sum + micros, 0);
}
