import { DAY_MS } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { dayNumber } from "../storage/days.ts";
import { truncate } from "./author-context.ts";
import { meanOf, rounded } from "./performance.ts";

export interface TopicSnapshot {
  lookback_days: number;
  topics: TopicPerformance[];
  overall_avg_performance: number | null;
  total_posts_analyzed: number;
}

export interface TopicPerformance {
  topic: string;
  post_count: number;
  measured_count: number;
  avg_performance: number | null;
  performance_vs_average: number | null;
  provenance: {
    best_content_preview: string | null;
    best_performance_score: number | null;
    worst_performance_score: number | null;
  };
  recommendation: TopicAdvice;
}

/** Averages leave out posts that are too young to be measured. */
export async function topicSnapshot(
  db: Kysely<Database>,
  account: string,
  lookbackDays: number,
  now: number,
): Promise<TopicSnapshot> {
  const days = db
    .selectFrom("topic_days")
    .where("topic_days.account", "=", account)
    .where("day", ">=", dayNumber(now - lookbackDays * DAY_MS));
  const rows = await days
    .select((eb) => [
      "topic",
      eb.fn.sum<number>("posts").as("posts"),
      eb.fn.sum<number>("measured").as("measured"),
      eb.fn.sum<number>("score_sum").as("sum"),
      eb.fn.max("best").as("best"),
      eb.fn.min("worst").as("worst"),
    ])
    .groupBy("topic")
    .execute();
  const sums = rows.map((row) => ({
    topic: row.topic,
    posts: Number(row.posts),
    measured: Number(row.measured),
    sum: Number(row.sum ?? 0),
    best: row.best,
    worst: row.worst,
  }));
  const measured = sums.reduce((total, row) => total + row.measured, 0);
  const overall = measured === 0 ? null : sums.reduce((total, row) => total + row.sum, 0) / measured;
  const topics: TopicPerformance[] = [];
  for (const row of sums) {
    const mean = row.measured === 0 ? null : row.sum / row.measured;
    const ratio = mean === null || !overall ? null : mean / overall;
    const best = await days
      .innerJoin("publications", (join) =>
        join
          .onRef("publications.account", "=", "topic_days.account")
          .onRef("publications.post_id", "=", "topic_days.best_post"),
      )
      .select("publications.text")
      .where("topic_days.topic", "=", row.topic)
      .where("best", "=", row.best)
      .limit(1)
      .executeTakeFirst();
    topics.push({
      topic: row.topic,
      post_count: row.posts,
      measured_count: row.measured,
      avg_performance: meanOf(row.sum, row.measured),
      performance_vs_average: ratio === null ? null : rounded(ratio),
      provenance: {
        best_content_preview: best === undefined ? null : truncate(best.text, PREVIEW_LENGTH),
        best_performance_score: row.best === null ? null : rounded(row.best),
        worst_performance_score: row.worst === null ? null : rounded(row.worst),
      },
      recommendation: adviceFor(row.measured, ratio ?? 1),
    });
  }
  topics.sort(
    (a, b) => (b.avg_performance ?? -1) - (a.avg_performance ?? -1) || (a.topic < b.topic ? -1 : 1),
  );
  return {
    lookback_days: lookbackDays,
    topics,
    overall_avg_performance: overall === null ? null : rounded(overall),
    total_posts_analyzed: sums.reduce((total, row) => total + row.posts, 0),
  };
}

const PREVIEW_LENGTH = 120;

export type TopicAdvice = "experiment" | "double_down" | "reduce" | "maintain";

/** By the topic's performance relative to the average of all. */
export function adviceFor(posts: number, againstAverage: number): TopicAdvice {
  if (posts < MIN_POSTS) return "experiment";
  if (againstAverage > 1.5) return "double_down";
  return againstAverage < 0.5 ? "reduce" : "maintain";
}

const MIN_POSTS = 3;
