import type { Failure, Json, JsonObject, Outcome } from "@toolpact/contract";
import type { BudgetCaps, Expense, OverBudget } from "@toolpact/contract/guards";
import type { LimitNeed, LimitReached } from "../policy/limit.ts";
import type { CallIdentity } from "./call-identity.ts";
import type { EarlierCall, Receipt, Repeat, Step } from "./receipt.ts";

/**
 * The receipts of one account, as the guards need them. Each method is atomic, and safe against other processes on
 * the same storage.
 */
export interface ReceiptStorage {
  readonly account: string;
  /** The receipt of a call, or of the approval that released one. */
  readonly find: (by: ReceiptKey) => Promise<Receipt | undefined>;
  readonly stepsOf: (receiptId: string) => Promise<readonly Step[]>;
  /**
   * Writes the receipt of a mutation before anything of it is sent, with what it takes from budget and limits. Of
   * several equal calls, in whatever process, one gets it.
   */
  readonly claim: (claim: Claim) => Promise<Outcome<HeldReceipt, NotClaimed>>;
  /** Writes a step before its request leaves, or says why the request must not leave. */
  readonly beginStep: (step: Step, attempt: number, leaseUntil: number) => Promise<NotBegun | undefined>;
  /** Writes how a step ended; `undone` is what it has undone. False where another step has made the same thing. */
  readonly endStep: (step: Step, undone: string | undefined) => Promise<boolean>;
  /** Steps of the account with an open outcome. */
  readonly openSteps: () => Promise<readonly Step[]>;
  /** Makes the outcome of a step that was refused unknown again. */
  readonly doubtStep: (step: Step) => Promise<void>;
  /** Writes how a mutation ended, and settles what was held for it. Undefined where another call has taken over. */
  readonly finish: (ending: Ending) => Promise<Finished | undefined>;
  /** Stores the result of a mutation that was confirmed without one. */
  readonly saveResult: (receiptId: string, result: Json) => Promise<void>;
  /** Takes over a receipt whose outcome is open; false where another call was faster. */
  readonly takeOver: (receipt: ReceiptAttempt, leaseUntil: number) => Promise<boolean>;
  /** Receipts with an open outcome whose call is no longer running, oldest first. */
  readonly abandoned: (now: number) => Promise<readonly Receipt[]>;
  /** Whether a receipt of this account made a thing, such as `post:123`. */
  readonly hasMade: (thing: string) => Promise<boolean>;
  /** Whether the same request was sent before without an answer, and reading back did not find it. */
  readonly wasSentBefore: (step: Step) => Promise<boolean>;
  /** The receipt of another call that continued what this one left incomplete. */
  readonly continuedBy: (receiptId: string) => Promise<string | undefined>;
}

export interface ReceiptKey {
  readonly claim?: string | undefined;
  readonly approvalId?: number | undefined;
}

export type ReceiptAttempt = Pick<Receipt, "id" | "attempt">;

/** A mutation that every other guard has let through. */
export interface Claim {
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
  readonly identity: CallIdentity;
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

/** A receipt that this call holds. */
export interface HeldReceipt extends ReceiptAttempt {
  /** What earlier attempts sent. */
  readonly steps: readonly Step[];
}

export type NotClaimed =
  /** The same call was made before. */
  | { readonly kind: "repeat"; readonly receipt: Receipt; readonly earlier: EarlierCall }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: "key_reused"; readonly receipt: Receipt }
  /** Another call of the account has answered it. */
  | { readonly kind: "second_reply" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export type Refusal =
  | ({ readonly kind: "budget" } & OverBudget)
  | ({ readonly kind: "limit" } & LimitReached);

/** Why a step was not written: another call holds the receipt now, or has continued from the same place. */
export type NotBegun = "taken_over" | { readonly continuedBy: string };

/** What is known of a mutation when its call, or the search for its outcome, ends. */
export interface Ending {
  readonly receiptId: string;
  readonly attempt: number;
  /** The tool's answer; undefined where it is not known. */
  readonly result?: Json | undefined;
  readonly failure?: Failure | undefined;
  /** How the last step ended, where that is still to be written. */
  readonly step?: Step | undefined;
  /** What else the entry of the call in the audit log says, where this is its end. */
  readonly entry?: CallEnd | undefined;
  readonly now: number;
}

/** How a call that was carried out ended, as the audit log keeps it. */
export interface CallEnd {
  readonly rollback_json: string;
  readonly elapsed_ms: number;
}

export interface Finished {
  readonly state: Receipt["state"];
  /** How many requests were carried out, in this attempt and those before. */
  readonly stepsDone: number;
}
