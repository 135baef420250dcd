import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { settleByPerson } from "../guards/receipts/kysely-receipts.ts";
import type { Database } from "../storage/database.ts";
import type { Store } from "../storage/store.ts";
import { itemFrom, type QueuedMutation } from "./item.ts";
import { alreadyDecided, findItem, forgetSecrets } from "./queue.ts";

/** Oldest first, after this id. */
export async function unsettledReleases(
  db: Kysely<Database>,
  account: string,
  { limit, after = 0 }: { readonly limit?: number; readonly after?: number } = {},
): Promise<readonly QueuedMutation[]> {
  const rows = await db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("status", "=", "releasing")
    // An executing item has no error yet.
    .where("error_json", "is not", null)
    .where("id", ">", after)
    .orderBy("id")
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(itemFrom);
}

export interface ReleaseFinding {
  readonly isOut: boolean;
  readonly by: string;
  readonly now: number;
}

/** Sends nothing. */
export async function settleRelease(
  store: Store,
  account: string,
  id: number,
  { isOut, by, now }: ReleaseFinding,
): Promise<Outcome<QueuedMutation, Failure>> {
  const row = await store.db
    .updateTable("approvals")
    .set({
      status: isOut ? "executed" : "rejected",
      claim: null,
      decision: null,
      decided_at: now,
      decided_by: by,
      note: isOut ? "A person found it at X." : "A person did not find it at X.",
    })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("status", "=", "releasing")
    .where("error_json", "is not", null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    const found = await findItem(store.db, account, id);
    return found.ok ? alreadyDecided(found.value) : found;
  }
  await forgetSecrets(store.db, account, [row]);
  if (row.receipt_id !== null) await settleByPerson(store, row.receipt_id, { isOut }, now);
  return ok(itemFrom(row));
}
