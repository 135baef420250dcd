import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import type { Step } from "./journal.ts";
import type { Receipt } from "./standing.ts";

/** The receipt that stands for a call, or for the approval that released one. */
export async function findReceipt(
  db: Kysely<Database>,
  account: string,
  by: { readonly claim?: string | undefined; readonly approvalId?: number | undefined },
): Promise<Receipt | undefined> {
  if (by.approvalId !== undefined) {
    const released = await db
      .selectFrom("receipts")
      .selectAll()
      .where("account", "=", account)
      .where("approval_claim", "=", by.approvalId)
      .executeTakeFirst();
    if (released !== undefined) return released;
  }
  if (by.claim === undefined) return undefined;
  return db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", account)
    .where("claim", "=", by.claim)
    .executeTakeFirst();
}

export async function stepsOf(db: Kysely<Database>, receiptId: string): Promise<Step[]> {
  return db.selectFrom("steps").selectAll().where("receipt_id", "=", receiptId).orderBy("seq").execute();
}
