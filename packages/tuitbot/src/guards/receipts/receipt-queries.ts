import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import type { ReceiptRow, StepRow } from "../../storage/tables/receipt-tables.ts";
import { prepared } from "../../storage/transaction.ts";
import type { ReceiptKey } from "./receipt.ts";

/** By the call, or the approval that released it. */
export async function findReceipt(
  db: Kysely<Database>,
  account: string,
  by: ReceiptKey,
): Promise<ReceiptRow | undefined> {
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

export async function stepsOf(db: Kysely<Database>, receiptId: string): Promise<readonly StepRow[]> {
  const { rows } = await selectSteps(db, { receiptId });
  return rows;
}

const selectSteps = prepared((db, the: { readonly receiptId: string }) =>
  overAllAccounts(db, "receipt")
    .selectFrom("steps")
    .selectAll()
    .where("receipt_id", "=", the.receiptId)
    .orderBy("seq"),
);

export function openSteps(db: Kysely<Database>, account: string): Promise<readonly StepRow[]> {
  return db
    .selectFrom("steps")
    .selectAll()
    .where("account", "=", account)
    .where(isOpen)
    .orderBy("sent_at")
    .execute();
}

/** As in the index, because SQLite ignores parameters when it chooses one. */
export const isOpen: RawBuilder<SqlBool> = sql<SqlBool>`state in ('pending', 'unknown')`;

export async function unsettledCount(db: Kysely<Database>, account: string): Promise<number> {
  const { count } = await db
    .selectFrom("receipts")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where(isOpen)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Open without a running call, oldest first. */
export function abandonedReceipts(
  db: Kysely<Database>,
  account: string,
  now: number,
): Promise<readonly ReceiptRow[]> {
  return db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", account)
    .where(isOpen)
    .where("lease_until", "<=", now)
    .orderBy("created_at")
    .execute();
}

/** Such as `post:123`. */
export async function hasMade(db: Kysely<Database>, account: string, thing: string): Promise<boolean> {
  const maker = await db
    .selectFrom("steps")
    .select("seq")
    .where("account", "=", account)
    .where("makes", "=", thing)
    .executeTakeFirst();
  return maker !== undefined;
}

export async function hasAnswered(db: Kysely<Database>, account: string, postId: string): Promise<boolean> {
  const answer = await db
    .selectFrom("receipts")
    .select("id")
    .where("account", "=", account)
    .where("reply_claim", "=", postId)
    .executeTakeFirst();
  return answer !== undefined;
}

/** Possibly carried out. Options such as the key do not count. */
export function lastEqualCall(
  db: Kysely<Database>,
  account: string,
  argsDigest: string,
): Promise<Pick<ReceiptRow, "created_at" | "state"> | undefined> {
  return db
    .selectFrom("receipts")
    .select(["created_at", "state"])
    .where("account", "=", account)
    .where("args_digest", "=", argsDigest)
    .where("state", "!=", "failed")
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Unanswered, and not found by reading back. */
export async function wasSentBefore(
  db: Kysely<Database>,
  { account, receipt_id, seq, digest }: StepRow,
): Promise<boolean> {
  const earlier = await db
    .selectFrom("steps")
    .select("seq")
    .where("account", "=", account)
    .where("digest", "=", digest)
    .where("status", "is", null)
    .where(({ or, eb }) => or([eb("receipt_id", "!=", receipt_id), eb("seq", "!=", seq)]))
    .executeTakeFirst();
  return earlier !== undefined;
}

/** Resuming a thread takes it over, so the first call must not continue. */
export async function continuedBy(
  db: Kysely<Database>,
  account: string,
  receiptId: string,
): Promise<string | undefined> {
  const last = await db
    .selectFrom("steps")
    .select("makes")
    .where("account", "=", account)
    .where("receipt_id", "=", receiptId)
    .where("state", "=", "confirmed")
    .orderBy("seq", "desc")
    .executeTakeFirst();
  const postId = last?.makes?.replace(/^post:/, "");
  if (postId === undefined) return undefined;
  const other = await tailOf(db, account, postId);
  return other === receiptId ? undefined : other;
}

export async function tailOf(
  db: Kysely<Database>,
  account: string,
  postId: string,
): Promise<string | undefined> {
  const step = await db
    .selectFrom("steps")
    .select("receipt_id")
    .where("account", "=", account)
    .where("continues", "=", postId)
    .executeTakeFirst();
  return step?.receipt_id;
}

export async function updateStep(db: Kysely<Database>, step: StepRow): Promise<void> {
  // Reading back may have been faster; only certainty replaces its result.
  const update = step.state === "confirmed" ? confirmStep : endOpenStep;
  await update(db, step.state === "failed" ? { ...step, continues: null } : step);
}

/** `continues` stays: another step may have continued while this one counted as failed. */
const confirmStep = prepared(ended);

const endOpenStep = prepared((db, step: StepRow) =>
  ended(db, step).set("continues", step.continues).where("state", "in", ["pending", "unknown"]),
);

function ended(db: Kysely<Database>, step: StepRow) {
  const { account, receipt_id, seq, state, status, answer_text, effect_until, settled_at, makes } = step;
  return db
    .updateTable("steps")
    .set({ state, status, answer_text, effect_until, settled_at, makes })
    .where("account", "=", account)
    .where("receipt_id", "=", receipt_id)
    .where("seq", "=", seq);
}
