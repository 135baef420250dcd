import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { startOfDay } from "../storage/days.ts";

export interface Person {
  readonly id: string;
  /** Undefined where it is not known. */
  readonly username?: string | undefined;
}

/** Counts one more reply to an author. */
export async function countReply(
  db: Kysely<Database>,
  account: string,
  { id, username }: Person,
  at: number,
): Promise<void> {
  const name = { username: username ?? null, name_key: username?.toLowerCase() ?? null };
  await db
    .insertInto("authors")
    .values({
      account,
      author_id: id,
      ...name,
      replies: 1,
      days: 1,
      first_at: at,
      last_at: at,
      measured: 0,
      engaged: 0,
      score_sum: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(["account", "author_id"]).doUpdateSet((eb) => ({
        ...(username !== undefined && name),
        replies: eb("authors.replies", "+", 1),
        days: eb
          .case()
          .when("authors.last_at", "<", startOfDay(at))
          .then(eb("authors.days", "+", 1))
          .else(eb.ref("authors.days"))
          .end(),
        // As a value: Kysely writes bare numbers into the statement, which is then a new one every time.
        last_at: eb
          .case()
          .when("authors.last_at", "<", at)
          .then(eb.val(at))
          .else(eb.ref("authors.last_at"))
          .end(),
      })),
    )
    .execute();
}
