import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { configuredTopics, type TopicScore, topTopics } from "../analytics/topics.ts";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import type { Session } from "../storage/store.ts";
import { recentTopics } from "./usage.ts";
import type { WritingContext } from "./write.ts";

/** The others are random. */
const BEST_SHARE = 0.8;
const BEST = 20;

/** Mostly the best one that was not used recently. */
export async function chooseTopic(
  context: Pick<WritingContext, "store" | "account" | "config" | "random">,
  purpose: "tweet" | "thread",
): Promise<Outcome<string, Failure<"invalid_input">>> {
  const { store, account, config, random } = context;
  const known = configuredTopics(config);
  const recent = (await recentTopics(context, purpose)).slice(0, Math.max(3, Math.floor(known.length / 2)));
  if (random() < BEST_SHARE) {
    const best = await topTopics(store.db, account, BEST);
    const first = best.find(({ topic }) => !recent.includes(topic));
    if (first !== undefined) return ok(first.topic);
  }
  const rested = known.filter((topic) => !recent.includes(topic));
  const topics = rested.length > 0 ? rested : known;
  const chosen = topics[Math.floor(random() * topics.length)];
  if (chosen !== undefined) return ok(chosen);
  return errors.fail("invalid_input", "No topic was given, and none is configured.", {
    suggestedFix: "Give `topic`, or set business.industry_topics.",
    fixBy: "agent",
  });
}

interface SuggestedTopic {
  topic: string;
  /** Null if unknown. */
  format: string | null;
  total_posts: number;
  avg_performance: number | null;
  because: "performance" | "profile";
}

/** Best first, then configured ones without posts. */
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

/** One per topic and format. */
const MAX_ROWS = 1_000;

function onceEach(rows: readonly TopicScore[]): readonly TopicScore[] {
  const firsts = new Map<string, TopicScore>();
  for (const row of rows) {
    const key = row.topic.toLowerCase();
    if (!firsts.has(key)) firsts.set(key, row);
  }
  return [...firsts.values()];
}
