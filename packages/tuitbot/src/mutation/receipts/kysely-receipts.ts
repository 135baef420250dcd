import type { Session } from "../../storage/session.ts";
import { claimReceipt } from "./claim.ts";
import { finishReceipt, saveResult } from "./finish.ts";
import {
  abandonedReceipts,
  continuedBy,
  findReceipt,
  hasMade,
  stepsOf,
  wasSentBefore,
} from "./receipt-queries.ts";
import type { ReceiptAttempt, ReceiptStorage } from "./receipt-storage.ts";
import { beginStep, doubtStep, endStep } from "./steps.ts";

/** The receipts of an account in the database. */
export function receiptStorage(session: Session): ReceiptStorage {
  const { store, account } = session;
  const { db } = store;
  return {
    account,
    find: (by) => findReceipt(db, account, by),
    stepsOf: (receiptId) => stepsOf(db, receiptId),
    claim: (claim) => claimReceipt(session, claim),
    beginStep: (step, attempt, leaseUntil) => beginStep(store, step, attempt, leaseUntil),
    endStep: (step, undone) => endStep(store, step, undone),
    doubtStep: (step) => doubtStep(db, step),
    finish: (ending) => finishReceipt(store, ending),
    saveResult: (receiptId, result) => saveResult(db, receiptId, result),
    takeOver: (receipt, leaseUntil) => takeOver(session, receipt, leaseUntil),
    abandoned: (now) => abandonedReceipts(db, account, now),
    hasMade: (thing) => hasMade(db, account, thing),
    wasSentBefore: (step) => wasSentBefore(db, step),
    continuedBy: (receiptId) => continuedBy(db, account, receiptId),
  };
}

async function takeOver(
  { store }: Session,
  { id, attempt }: ReceiptAttempt,
  leaseUntil: number,
): Promise<boolean> {
  const taken = await store.db
    .updateTable("receipts")
    .set({ state: "pending", attempt: attempt + 1, lease_until: leaseUntil })
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "in", ["pending", "unknown"])
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}
