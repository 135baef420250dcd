import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { Receipt } from "./standing.ts";

/**
 * The receipt of another call that went on with a thread that this one left cut: whoever resumes a thread takes it
 * over, and the first call must not put a second tail on it.
 */
export async function continuedBy(
  db: Kysely<Database>,
  { id, account }: Pick<Receipt, "id" | "account">,
): Promise<string | undefined> {
  const last = await db
    .selectFrom("steps")
    .select("makes")
    .where("receipt_id", "=", id)
    .where("state", "=", "confirmed")
    .orderBy("seq", "desc")
    .executeTakeFirst();
  const postId = last?.makes?.replace(/^post:/, "");
  if (postId === undefined) return undefined;
  const other = await tailOf(db, account, postId);
  return other === id ? undefined : other;
}

/** The receipt of the call that went on with a thread after this post. */
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
