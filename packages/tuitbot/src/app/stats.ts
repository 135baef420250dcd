import { bestTimes } from "../analytics/best-times.ts";
import { followerChange, followerTrend } from "../analytics/followers.ts";
import { topTopics } from "../analytics/topics.ts";
import { engagementTotals } from "../analytics/totals.ts";
import type { Services } from "./services.ts";

const MAX_TOPICS = 5;
const MAX_HOURS = 5;

/** Followers and the performance of posts, as `--output json` and the dashboard have it. */
export async function statsReport(
  { db, workflow, config }: Pick<Services, "db" | "workflow" | "config">,
  days: number,
) {
  const { store, account } = db;
  const now = workflow.now();
  const trend = await followerTrend(store.db, account, days);
  const totals = await engagementTotals(store.db, account);
  const hours = await store.db
    .selectFrom("hour_scores")
    .select(["weekday", "hour", "posts", "score_sum"])
    .where("account", "=", account)
    .execute();
  const since = async (past: number) =>
    trend.length === 0 ? null : await followerChange(store.db, account, past, now);
  return {
    followers: {
      current: trend.at(-1)?.follower_count ?? null,
      change_7d: await since(7),
      change_30d: await since(30),
      trend: trend.map(({ date, follower_count }) => ({ date, follower_count })),
    },
    kinds: totals.byKind.map((kind) => ({ ...kind })),
    topics: (await topTopics(store.db, account, MAX_TOPICS)).map((topic) => ({ ...topic })),
    best_times: bestTimes(hours, MAX_HOURS).map((hour) => ({ ...hour })),
    timezone: config.values.schedule.timezone,
  };
}
