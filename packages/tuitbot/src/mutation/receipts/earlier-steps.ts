import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { Step } from "./journal.ts";

/** Whether the same request was sent before without an answer, and reading back did not find it. */
export async function wasSentBefore(
  db: Kysely<Database>,
  account: string,
  { receipt_id, seq, digest }: Step,
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
