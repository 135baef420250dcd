import { type Kysely, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { dayNumber, startOfDay } from "../storage/days.ts";
import type { PublicationRow } from "../storage/tables/publication-tables.ts";

export interface Person {
  readonly id: string;
  /** If known. */
  readonly username?: string | undefined;
}

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
        // Kysely writes bare numbers into the statement, which would be new every time.
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

type TopicPost = Pick<PublicationRow, "account" | "post_id" | "kind" | "position" | "topic" | "published_at">;

/** Not for a thread's continuation. */
export async function countTopicPost(db: Kysely<Database>, post: TopicPost): Promise<void> {
  const { account, topic, published_at } = post;
  if (!countsFor(post) || topic === null) return;
  await db
    .insertInto("topic_days")
    .values({
      account,
      day: dayNumber(published_at),
      topic,
      posts: 1,
      measured: 0,
      score_sum: 0,
      best: null,
      best_post: null,
      worst: null,
    })
    .onConflict((conflict) =>
      conflict.columns(["account", "day", "topic"]).doUpdateSet({ posts: sql`topic_days.posts + 1` }),
    )
    .execute();
}

export async function countTopicScore(db: Kysely<Database>, post: TopicPost, score: number): Promise<void> {
  const { account, topic, published_at, post_id } = post;
  if (!countsFor(post) || topic === null) return;
  await db
    .updateTable("topic_days")
    .set({
      measured: sql`measured + 1`,
      score_sum: sql`score_sum + ${score}`,
      best: sql`case when best >= ${score} then best else ${score} end`,
      best_post: sql`case when best >= ${score} then best_post else ${post_id} end`,
      worst: sql`case when worst <= ${score} then worst else ${score} end`,
    })
    .where("account", "=", account)
    .where("day", "=", dayNumber(published_at))
    .where("topic", "=", topic)
    .execute();
}

function countsFor({ kind, position }: TopicPost): boolean {
  return kind !== "reply" && position === 0;
}
