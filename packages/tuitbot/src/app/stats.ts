import { bestHours, bestTimes } from "../analytics/best-times.ts";
import { followerChange, followerTrend } from "../analytics/followers.ts";
import { topTopics } from "../analytics/topics.ts";
import { engagementTotals } from "../analytics/totals.ts";
import type { Services } from "./services.ts";

const MAX_TOPICS = 5;
const MAX_HOURS = 5;

/** `days` is the length of the follower trend. */
export async function accountStats(
  { db: { store, account }, workflow }: Pick<Services, "db" | "workflow">,
  days: number,
) {
  const now = workflow.now();
  const trend = await followerTrend(store.db, account, days);
  return {
    trend,
    followers: {
      current: trend.at(-1)?.follower_count ?? null,
      change_7d: await followerChange(store.db, account, 7, now),
      change_30d: await followerChange(store.db, account, 30, now),
    },
    totals: await engagementTotals(store.db, account),
    topics: await topTopics(store.db, account, MAX_TOPICS),
    hours: await store.db
      .selectFrom("hour_scores")
      .select(["weekday", "hour", "posts", "score_sum"])
      .where("account", "=", account)
      .execute(),
  };
}

/** For `--output json` and the dashboard. */
export async function statsReport(session: Pick<Services, "db" | "workflow" | "config">, days: number) {
  const { trend, followers, totals, topics, hours } = await accountStats(session, days);
  return {
    followers: {
      ...followers,
      trend: trend.map(({ date, follower_count }) => ({ date, follower_count })),
    },
    kinds: totals.byKind.map((kind) => ({ ...kind })),
    topics: topics.map((topic) => ({ ...topic })),
    best_times: bestTimes(hours, MAX_HOURS).map((hour) => ({ ...hour })),
    /** Above average, on at least five posts each. */
    best_hours: bestHours(hours).map((hour) => ({ ...hour })),
    timezone: session.config.values.schedule.timezone,
  };
}
