import { type Kysely, type SqlBool, sql } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { AuditRow } from "../../storage/tables/audit-tables.ts";
import type { CallEnd } from "./receipt-storage.ts";

/**
 * Writes the entry of a call that has ended. A call with a receipt has one already; what that says is replaced, unless
 * the outcome was found out meanwhile and this call does not know it, or it does not even know of its receipt, because
 * the database took it and the answer was lost.
 */
export const writeEntry = prepared((db, entry: AuditRow) => {
  const { correlation_id, at, ...ended } = entry;
  return db
    .insertInto("audit")
    .values(entry)
    .onConflict((conflict) =>
      conflict
        .column("correlation_id")
        .doUpdateSet(ended)
        .where(
          sql<SqlBool>`(audit.status = 'pending' or excluded.status <> 'pending')
            and (audit.receipt_id is null or excluded.receipt_id is not null)`,
        ),
    );
});

/** What is known of a call when its receipt is written. */
export type OpenEntry = Pick<
  AuditRow,
  | "correlation_id"
  | "account"
  | "at"
  | "tool"
  | "effect"
  | "transport"
  | "client"
  | "args_json"
  | "decision"
  | "rule_id"
  | "receipt_id"
  | "approval_id"
>;

/**
 * Writes the entry of a call that is about to begin, in the transaction that writes its receipt. There is one already
 * where the call was answered at its deadline before: it is open again.
 */
export async function openEntry(db: Kysely<Database>, entry: OpenEntry): Promise<void> {
  await insertOpen(db, {
    ...entry,
    status: "pending",
    code: null,
    message: null,
    result_json: null,
    rollback_json: null,
    elapsed_ms: null,
  });
}

const insertOpen = prepared((db, entry: AuditRow) => {
  const { correlation_id, at, ...open } = entry;
  return db
    .insertInto("audit")
    .values(entry)
    .onConflict((conflict) => conflict.column("correlation_id").doUpdateSet(open));
});

interface SettledEntry {
  readonly account: string;
  readonly receiptId: string;
  readonly status: "success" | "failure";
  readonly result_json: string | null;
}

/** The same for a call that is about to be answered: nothing is left to be added to its entry. */
export const endEntry = prepared((db, { account, receiptId, ...end }: SettledEntry & CallEnd) =>
  db
    .updateTable("audit")
    // A deadline may have been written down before.
    .set({ ...end, code: null, message: null })
    .where("account", "=", account)
    .where("receipt_id", "=", receiptId)
    .where(sql<SqlBool>`status = 'pending'`),
);

/** Writes how a call has ended to its entry, in the transaction that says so in its receipt. */
export const settleEntry = prepared((db, { account, receiptId, status, result_json }: SettledEntry) =>
  db
    .updateTable("audit")
    .set({ status, result_json })
    .where("account", "=", account)
    .where("receipt_id", "=", receiptId)
    // As the index has it.
    .where(sql<SqlBool>`status = 'pending'`),
);
