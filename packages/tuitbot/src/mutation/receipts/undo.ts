import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";

/** What was undone no longer stands, so the call that brought it about is a new call again. */
export async function releaseUndone(db: Kysely<Database>, account: string, undone: string): Promise<void> {
  const makers = await db
    .selectFrom("steps")
    .select("receipt_id")
    .where("account", "=", account)
    .where("makes", "=", undone)
    .execute();
  if (makers.length === 0) return;
  await db
    .updateTable("steps")
    .set({ makes: null, continues: null })
    .where("account", "=", account)
    .where("makes", "=", undone)
    .execute();
  await db
    .updateTable("receipts")
    .set({ claim: null, reply_claim: null })
    .where(
      "id",
      "in",
      makers.map(({ receipt_id }) => receipt_id),
    )
    // A thread stands as long as one of its posts does.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("steps")
            .select("steps.seq")
            .whereRef("steps.receipt_id", "=", "receipts.id")
            .where("steps.makes", "is not", null),
        ),
      ),
    )
    .execute();
}

/** Whether a receipt of this account stands for a thing, such as `post:123`. */
export async function madeHere(db: Kysely<Database>, account: string, thing: string): Promise<boolean> {
  const maker = await db
    .selectFrom("steps")
    .select("seq")
    .where("account", "=", account)
    .where("makes", "=", thing)
    .executeTakeFirst();
  return maker !== undefined;
}
