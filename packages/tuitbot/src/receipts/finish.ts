import type { Failure, Json } from "@toolpact/contract";
import { recordPublications } from "../analytics/record-publications.ts";
import type { ReceiptState } from "../storage/database.ts";
import type { Store } from "../storage/store.ts";
import { stepsOf } from "./find-receipt.ts";
import { type Holds, settleHolds } from "./holds.ts";
import type { Step } from "./journal.ts";

/** What is known of a mutation when its call, or the search for its outcome, ends. */
export interface Ending {
  readonly receiptId: string;
  readonly attempt: number;
  /** The tool's answer; undefined where it is not known. */
  readonly result?: Json | undefined;
  readonly failure?: Failure | undefined;
  readonly now: number;
}

export interface Finished {
  readonly state: ReceiptState;
  /** How many requests X has carried out, in this attempt and those before. */
  readonly stepsDone: number;
}

/** Writes down how a mutation ended, and settles what was held for it. Undefined where another call has taken over. */
export async function finishReceipt(
  store: Store,
  { receiptId, attempt, result, failure, now }: Ending,
): Promise<Finished | undefined> {
  return store.transaction(async (db) => {
    const receipt = await db
      .selectFrom("receipts")
      .select(["id", "account", "claim", "approval_claim", "reply_claim", "expected_steps", "holds_json"])
      .where("id", "=", receiptId)
      .executeTakeFirst();
    if (receipt === undefined) return undefined;
    const steps = await stepsOf(db, receiptId);
    const state = result === undefined ? stateFrom(steps, receipt.expected_steps) : "confirmed";
    const stepsDone = steps.filter((step) => step.state === "confirmed").length;
    const isNothingDone = state === "failed" && stepsDone === 0;
    const written = await db
      .updateTable("receipts")
      .set({
        state,
        lease_until: now,
        settled_at: state === "unknown" ? null : now,
        result_json: result === undefined ? null : JSON.stringify(result),
        error_json: failure === undefined ? null : JSON.stringify(failure),
        // Of what was not done, the same call is a new one.
        claim: isNothingDone ? null : receipt.claim,
        approval_claim: isNothingDone ? null : receipt.approval_claim,
        reply_claim: isNothingDone ? null : receipt.reply_claim,
      })
      .where("id", "=", receiptId)
      .where("attempt", "=", attempt)
      .where("state", "=", "pending")
      .executeTakeFirst();
    if (written.numUpdatedRows === 0n) return undefined;
    await recordPublications(db, receipt, steps);
    // Money for what may have been done stays put aside until that is known.
    if (state !== "unknown")
      await settleHolds(db, receipt.account, JSON.parse(receipt.holds_json) as Holds, steps);
    return { state, stepsDone };
  });
}

/** What the requests of a mutation come to, without the answer of its tool. */
export function stateFrom(steps: readonly Pick<Step, "state">[], expected: number): ReceiptState {
  if (steps.some(({ state }) => state === "pending" || state === "unknown")) return "unknown";
  const done = steps.filter(({ state }) => state === "confirmed").length;
  return done > 0 && done >= expected ? "confirmed" : "failed";
}
