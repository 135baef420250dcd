import { type Json, redact } from "@toolpact/contract";
import type { Finished } from "@toolpact/contract/guards";
import type { Kysely } from "kysely";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Store } from "../../storage/store.ts";
import { endEntry, settleEntry } from "../audit/entries.ts";
import { recordPublications } from "../publications/record-publications.ts";
import { type Holds, settleHolds } from "./holds.ts";
import type { Receipt, Step } from "./receipt.ts";
import { stepsOf } from "./receipt-queries.ts";
import type { Ending } from "./receipt-storage.ts";
import { updateStep } from "./update-step.ts";

/** As `ReceiptStorage.finish`, in one transaction. */
export async function finishReceipt(
  store: Store,
  { receiptId, attempt, result, failure, step, entry, now }: Ending,
): Promise<Finished | undefined> {
  return store.transaction(async (db) => {
    const [receipt] = (await selectReceipt(db, { receiptId })).rows;
    if (receipt === undefined) return undefined;
    if (step !== undefined) await updateStep(db, { ...step, account: receipt.account });
    const steps = await stepsOf(db, receiptId);
    const state = result === undefined ? stateFrom(steps, receipt.expected_steps) : "confirmed";
    const stepsDone = steps.filter((step) => step.state === "confirmed").length;
    const isNothingDone = state === "failed" && stepsDone === 0;
    const written = await updateReceipt(db, {
      id: receiptId,
      account: receipt.account,
      attempt,
      state,
      lease_until: now,
      settled_at: state === "unknown" ? null : now,
      result_json: result === undefined ? null : JSON.stringify(result),
      error_json: failure === undefined ? null : JSON.stringify(failure),
      // When nothing was done, the same call is a new one.
      claim: isNothingDone ? null : receipt.claim,
      approval_claim: isNothingDone ? null : receipt.approval_claim,
      reply_claim: isNothingDone ? null : receipt.reply_claim,
    });
    if (written.numAffectedRows === 0n) return undefined;
    await recordPublications(db, receipt, steps);
    // Money for what may have been done stays reserved until that is known.
    if (state !== "unknown") {
      await settleHolds(db, receipt.account, JSON.parse(receipt.holds_json) as Holds, steps);
      const status = state === "confirmed" ? "success" : "failure";
      const result_json = result === undefined ? null : JSON.stringify(redact({ result }).result);
      const settled = { account: receipt.account, receiptId, status, result_json } as const;
      if (entry === undefined) await settleEntry(db, settled);
      else await endEntry(db, { ...settled, ...entry });
    }
    return { state, stepsDone };
  });
}

const selectReceipt = prepared((db, the: { readonly receiptId: string }) =>
  overAllAccounts(db, "receipt")
    .selectFrom("receipts")
    .select(["id", "account", "claim", "approval_claim", "reply_claim", "expected_steps", "holds_json"])
    .where("id", "=", the.receiptId),
);

type SettledReceipt = Pick<
  Receipt,
  | "id"
  | "account"
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

const updateReceipt = prepared((db, { id, account, attempt, ...settled }: SettledReceipt) =>
  db
    .updateTable("receipts")
    .set(settled)
    .where("account", "=", account)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending"),
);

/** What the requests of a mutation come to, without the answer of its tool. */
function stateFrom(steps: readonly Pick<Step, "state">[], expected: number): Receipt["state"] {
  if (steps.some(({ state }) => state === "pending" || state === "unknown")) return "unknown";
  const done = steps.filter(({ state }) => state === "confirmed").length;
  return done > 0 && done >= expected ? "confirmed" : "failed";
}

/** As `ReceiptStorage.saveResult`. */
export async function saveResult(
  db: Kysely<Database>,
  account: string,
  receiptId: string,
  result: Json,
): Promise<void> {
  await db
    .updateTable("receipts")
    .set({ result_json: JSON.stringify(result) })
    .where("account", "=", account)
    .where("id", "=", receiptId)
    .where("state", "=", "confirmed")
    .where("result_json", "is", null)
    .execute();
}
