import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import type { Receipt } from "./standing.ts";

/**
 * The receipt of another call that went on with a thread that this one left cut: whoever resumes a thread takes it
 * over, and the first call must not put a second tail on it.
 */
export async function continuedBy(
  db: Kysely<Database>,
  { id, account, tool, created_at }: Receipt,
): Promise<string | undefined> {
  if (tool !== "x_post_thread") return undefined;
  const last = await db
    .selectFrom("steps")
    .select("makes")
    .where("receipt_id", "=", id)
    .where("state", "=", "confirmed")
    .orderBy("seq", "desc")
    .executeTakeFirst();
  const postId = last?.makes?.replace(/^post:/, "");
  if (postId === undefined) return undefined;
  const other = await db
    .selectFrom("receipts")
    .innerJoin("steps", "steps.receipt_id", "receipts.id")
    .select("receipts.id")
    .where("receipts.account", "=", account)
    .where("receipts.tool", "=", tool)
    .where("receipts.created_at", ">=", created_at)
    .where("receipts.id", "!=", id)
    .where("steps.state", "!=", "failed")
    .where("steps.body_json", "like", `%"in_reply_to_tweet_id":"${postId}"%`)
    .executeTakeFirst();
  return other?.id;
}
