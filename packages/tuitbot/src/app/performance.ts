import { DAY_MS } from "@toolpact/contract/internal";
import { MIN_SAMPLES } from "../analytics/best-times.ts";
import { followerTrend } from "../analytics/followers.ts";
import { type PublishedPost, publishedPosts, sumsOf, sumsPerDay } from "../analytics/published.ts";
import { dayOf } from "../storage/days.ts";
import type { Services } from "./services.ts";

const WEEK_MS = 7 * DAY_MS;

const MAX_POSTS = 2_000;

/** With metrics, daily sums, and this week next to the last. */
export async function performanceReport(
  { db, workflow, config }: Pick<Services, "db" | "workflow" | "config">,
  days: number,
) {
  const now = workflow.now();
  const { timezone } = config.values.schedule;
  const since = now - Math.max(days * DAY_MS, 2 * WEEK_MS);
  const found = await publishedPosts(db.store.db, db.account, { since, limit: MAX_POSTS, timezone });
  const between = (from: number, to: number) =>
    found.filter(({ published_at }) => {
      const at = Date.parse(published_at);
      return at > from && at <= to;
    });
  const posts = between(now - days * DAY_MS, now);
  const thisWeek = between(now - WEEK_MS, now);
  const trend = await followerTrend(db.store.db, db.account, 400);
  const followersAt = (at: number) => trend.findLast(({ date }) => date <= dayOf(at))?.follower_count ?? null;
  const current = followersAt(now);
  /** Null if no count is that old. */
  const changeSince = (at: number) => {
    const then = followersAt(at);
    return current === null || then === null ? null : current - then;
  };
  return {
    /** Newest first. */
    posts: posts.map((post) => ({ ...post })),
    /** By UTC day of publication. */
    days: sumsPerDay(posts, days, now).map((day) => ({ ...day })),
    week: {
      from: new Date(now - WEEK_MS).toISOString(),
      to: new Date(now).toISOString(),
      now: sumsOf(thisWeek),
      before: sumsOf(between(now - 2 * WEEK_MS, now - WEEK_MS)),
      followers: current,
      followers_change: changeSince(now - WEEK_MS),
      followers_change_30d: changeSince(now - 30 * DAY_MS),
      /** Null with fewer than five measured posts. */
      best: bestOf(thisWeek)?.id ?? null,
    },
    timezone,
  };
}

function bestOf(posts: readonly PublishedPost[]): PublishedPost | undefined {
  const measured = posts.filter(({ figures }) => figures !== null);
  if (measured.length < MIN_SAMPLES) return undefined;
  return measured.toSorted((a, b) => (b.figures?.score ?? 0) - (a.figures?.score ?? 0))[0];
}
