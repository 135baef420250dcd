import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { RATIO_WINDOW } from "./product-mention.ts";

/** Texts of the latest replies that went out, newest first. */
export async function latestReplies(db: Kysely<Database>, account: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("publications")
    .select("text")
    .where("account", "=", account)
    .where("kind", "=", "reply")
    .orderBy("published_at", "desc")
    .limit(RATIO_WINDOW)
    .execute();
  return rows.map(({ text }) => text);
}
