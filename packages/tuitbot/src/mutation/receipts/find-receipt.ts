import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Step } from "./journal.ts";
import type { Receipt } from "./standing.ts";

/** The receipt that stands for a call, or for the approval that released one. */
export async function findReceipt(
  db: Kysely<Database>,
  account: string,
  by: { readonly claim?: string | undefined; readonly approvalId?: number | undefined },
): Promise<Receipt | undefined> {
  if (by.approvalId !== undefined) {
    const { rows } = await selectByApproval(db, { account, approvalId: by.approvalId });
    if (rows[0] !== undefined) return rows[0];
  }
  if (by.claim === undefined) return undefined;
  const { rows } = await selectByClaim(db, { account, claim: by.claim });
  return rows[0];
}

const selectByApproval = prepared((db, the: { readonly account: string; readonly approvalId: number }) =>
  db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", the.account)
    .where("approval_claim", "=", the.approvalId),
);

const selectByClaim = prepared((db, the: { readonly account: string; readonly claim: string }) =>
  db.selectFrom("receipts").selectAll().where("account", "=", the.account).where("claim", "=", the.claim),
);

export async function stepsOf(db: Kysely<Database>, receiptId: string): Promise<readonly Step[]> {
  const { rows } = await selectSteps(db, { receiptId });
  return rows;
}

const selectSteps = prepared((db, the: { readonly receiptId: string }) =>
  db.selectFrom("steps").selectAll().where("receipt_id", "=", the.receiptId).orderBy("seq"),
);
