import type { Kysely } from "kysely";
import type { Config } from "../config/schema.ts";
import type { Database } from "../storage/database.ts";
import { meanOf } from "./performance.ts";

export interface TopicScore {
  topic: string;
  format: string;
  total_posts: number;
  avg_performance: number | null;
}

export async function topTopics(db: Kysely<Database>, account: string, max: number): Promise<TopicScore[]> {
  const rows = await db
    .selectFrom("topic_scores")
    .select(["topic", "format", "posts", "score_sum"])
    .where("account", "=", account)
    .orderBy((eb) => eb("score_sum", "/", eb.ref("posts")), "desc")
    .orderBy("topic")
    .orderBy("format")
    .limit(max)
    .execute();
  return rows.map(({ topic, format, posts, score_sum }) => ({
    topic,
    format,
    total_posts: posts,
    avg_performance: meanOf(score_sum, posts),
  }));
}

/** Or else the product keywords. */
export function configuredTopics({ business }: Pick<Config, "business">): readonly string[] {
  return business.industry_topics.length > 0 ? business.industry_topics : business.product_keywords;
}

/** The first one in the text. */
export function topicNamedIn(text: string, config: Pick<Config, "business">): string | undefined {
  const said = text.toLowerCase();
  return configuredTopics(config).find((topic) => said.includes(topic.toLowerCase()));
}
