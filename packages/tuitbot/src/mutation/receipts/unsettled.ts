import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isOpen } from "./open.ts";

/** How many calls are at work, or ended without anybody knowing how. */
export async function unsettledCount(db: Kysely<Database>, account: string): Promise<number> {
  const { count } = await db
    .selectFrom("receipts")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where(isOpen)
    .executeTakeFirstOrThrow();
  return Number(count);
}
