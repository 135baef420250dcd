import type { JsonObject } from "@toolpact/contract";
import type {
  BudgetCaps,
  CallEnding,
  Expense,
  Finished,
  OverBudget,
  ReceiptStorage,
} from "@toolpact/contract/internal/guards";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { LimitNeed, PolicyLimitReached } from "../policy/limit.ts";
import type { MutationIdentity } from "./call-identity.ts";
import type { Repeat } from "./receipt.ts";

/** The receipts of one account, with what else is written in the transactions of a claim and of its end. */
export interface AccountReceipts extends ReceiptStorage<MutationClaim, ReceiptRow, MutationRefusal> {
  readonly account: string;
  /** The receipt of a call, or of the approval that released one. */
  readonly find: (by: ReceiptKey) => Promise<ReceiptRow | undefined>;
  readonly finish: (ending: MutationEnding) => Promise<Finished | undefined>;
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
  /** What no other call of the account may answer, such as a post of somebody else. */
  readonly answers?: string | undefined;
  /** How many requests make it complete. */
  readonly expectedSteps: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly now: number;
}

/** What a mutation takes from budget and limits before it may begin. */
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

/** What is known of a mutation when its call, or the search for its outcome, ends. */
export interface MutationEnding extends CallEnding {
  /** What else the entry of the call in the audit log says, where this is its end. */
  readonly entry?: CallEnd | undefined;
}

/** How a call that was carried out ended, as the audit log keeps it. */
export interface CallEnd {
  readonly rollback_json: string;
  readonly elapsed_ms: number;
}
