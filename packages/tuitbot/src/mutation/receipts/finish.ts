import type { Failure, Json } from "@toolpact/contract";
import type { ReceiptRow, ReceiptState } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Store } from "../../storage/store.ts";
import { recordPublications } from "../publications/record-publications.ts";
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
    const [receipt] = (await selectReceipt(db, { receiptId })).rows;
    if (receipt === undefined) return undefined;
    const steps = await stepsOf(db, receiptId);
    const state = result === undefined ? stateFrom(steps, receipt.expected_steps) : "confirmed";
    const stepsDone = steps.filter((step) => step.state === "confirmed").length;
    const isNothingDone = state === "failed" && stepsDone === 0;
    const written = await updateReceipt(db, {
      id: receiptId,
      attempt,
      state,
      lease_until: now,
      settled_at: state === "unknown" ? null : now,
      result_json: result === undefined ? null : JSON.stringify(result),
      error_json: failure === undefined ? null : JSON.stringify(failure),
      // Of what was not done, the same call is a new one.
      claim: isNothingDone ? null : receipt.claim,
      approval_claim: isNothingDone ? null : receipt.approval_claim,
      reply_claim: isNothingDone ? null : receipt.reply_claim,
    });
    if (written.numAffectedRows === 0n) return undefined;
    await recordPublications(db, receipt, steps);
    // Money for what may have been done stays put aside until that is known.
    if (state !== "unknown")
      await settleHolds(db, receipt.account, JSON.parse(receipt.holds_json) as Holds, steps);
    return { state, stepsDone };
  });
}

const selectReceipt = prepared((db, the: { readonly receiptId: string }) =>
  db
    .selectFrom("receipts")
    .select(["id", "account", "claim", "approval_claim", "reply_claim", "expected_steps", "holds_json"])
    .where("id", "=", the.receiptId),
);

type SettledReceipt = Pick<
  ReceiptRow,
  | "id"
  | "attempt"
  | "state"
  | "lease_until"
  | "settled_at"
  | "result_json"
  | "error_json"
  | "claim"
  | "approval_claim"
  | "reply_claim"
>;

const updateReceipt = prepared((db, { id, attempt, ...settled }: SettledReceipt) =>
  db
    .updateTable("receipts")
    .set(settled)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending"),
);

/** What the requests of a mutation come to, without the answer of its tool. */
function stateFrom(steps: readonly Pick<Step, "state">[], expected: number): ReceiptState {
  if (steps.some(({ state }) => state === "pending" || state === "unknown")) return "unknown";
  const done = steps.filter(({ state }) => state === "confirmed").length;
  return done > 0 && done >= expected ? "confirmed" : "failed";
}
