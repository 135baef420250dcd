import type { Kysely } from "kysely";
import type { Database } from "./database.ts";

/** False if any server of the database took it before. */
export async function spendAnswer(
  db: Kysely<Database>,
  id: string,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): Promise<boolean> {
  await db.deleteFrom("spent_answers").where("expires_at", "<=", now).execute();
  const spent = await db
    .insertInto("spent_answers")
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return spent !== undefined;
}
