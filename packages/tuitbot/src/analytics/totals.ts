import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { startOfDay } from "../storage/days.ts";
import type { PublicationKind } from "../storage/tables/publication-tables.ts";
import { MIN_SAMPLES } from "./best-times.ts";
import { meanOf } from "./performance.ts";

export interface ContentTotal {
  content_type: PublicationKind;
  count: number;
  measured: number;
  avg_performance: number | null;
  total_impressions: number;
}

export interface Engagement {
  /** Null before the first measurement. */
  readonly avgReply: number | null;
  readonly avgTweet: number | null;
  readonly repliesMeasured: number;
  readonly tweetsMeasured: number;
  readonly replies: number;
  readonly tweets: number;
  readonly byKind: ContentTotal[];
}

/** With advice if nothing is measured. */
export function basisOf({ replies, tweets, repliesMeasured, tweetsMeasured }: Engagement): string {
  const recorded = replies + tweets;
  const measured = repliesMeasured + tweetsMeasured;
  if (recorded === 0)
    return "No posts are recorded yet. Call refresh_analytics: it records your newest posts, as many as `limit` says, and measures those older than a day.";
  if (measured === 0)
    return `${recorded} posts and replies are recorded, none measured yet. A post is measured a day after it was published; refresh_analytics measures what is due.`;
  return `Based on ${measured} of ${recorded} recorded posts and replies; a post is measured a day after it was published. Scores are (3 likes + 4 reposts + 5 replies) per 1,000 views. Hours are rated from ${MIN_SAMPLES} measured posts.`;
}

/** From sums that are updated with each post. */
export async function engagementTotals(db: Kysely<Database>, account: string): Promise<Engagement> {
  const rows = await db
    .selectFrom("publication_totals")
    .selectAll()
    .where("account", "=", account)
    .orderBy("kind")
    .execute();
  const of = (isReply: boolean) => {
    const kinds = rows.filter(({ kind }) => (kind === "reply") === isReply);
    const sum = (field: "published" | "measured" | "score_sum") =>
      kinds.reduce((total, row) => total + row[field], 0);
    return { published: sum("published"), measured: sum("measured"), score: sum("score_sum") };
  };
  const replies = of(true);
  const tweets = of(false);
  return {
    avgReply: meanOf(replies.score, replies.measured),
    avgTweet: meanOf(tweets.score, tweets.measured),
    repliesMeasured: replies.measured,
    tweetsMeasured: tweets.measured,
    replies: replies.published,
    tweets: tweets.published,
    byKind: rows.map(({ kind, published, measured, score_sum, impressions }) => ({
      content_type: kind,
      count: published,
      measured,
      avg_performance: meanOf(score_sum, measured),
      total_impressions: impressions,
    })),
  };
}

/** Since UTC midnight. */
export async function repliesToday(db: Kysely<Database>, account: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("publications")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where("kind", "=", "reply")
    .where("published_at", ">=", startOfDay(now))
    .executeTakeFirstOrThrow();
  return Number(count);
}
