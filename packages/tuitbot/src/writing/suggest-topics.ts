import { configuredTopics, type TopicScore, topTopics } from "../analytics/topics.ts";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";

export interface SuggestedTopic {
  topic: string;
  /** The format in which it did best; null if not known. */
  format: string | null;
  total_posts: number;
  avg_performance: number | null;
  because: "performance" | "profile";
}

/** Topics that did well, best first, then configured topics that were never used. */
export async function suggestTopics(
  { store, account }: Session,
  config: Pick<Config, "business">,
  count: number,
): Promise<SuggestedTopic[]> {
  const measured = onceEach(await topTopics(store.db, account, MAX_ROWS)).slice(0, count);
  const tried = new Set(measured.map(({ topic }) => topic.toLowerCase()));
  const untried = [...new Set([...configuredTopics(config), ...config.business.content_pillars])].filter(
    (topic) => !tried.has(topic.toLowerCase()),
  );
  return [
    ...measured.map((row) => ({ ...row, because: "performance" as const })),
    ...untried.map((topic) => ({
      topic,
      format: null,
      total_posts: 0,
      avg_performance: null,
      because: "profile" as const,
    })),
  ].slice(0, count);
}

/** A topic has one row per format. */
const MAX_ROWS = 1_000;

function onceEach(rows: readonly TopicScore[]): readonly TopicScore[] {
  const firsts = new Map<string, TopicScore>();
  for (const row of rows) {
    const key = row.topic.toLowerCase();
    if (!firsts.has(key)) firsts.set(key, row);
  }
  return [...firsts.values()];
}
