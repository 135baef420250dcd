import { ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import * as z from "zod";
import { bestHours, bestTimes, heatmap, MIN_SAMPLES, WEEKDAYS } from "../../analytics/best-times.ts";
import { followerTrend } from "../../analytics/followers.ts";
import { recentReplies } from "../../analytics/recent-replies.ts";
import { basisOf, repliesToday } from "../../analytics/totals.ts";
import { accountStats } from "../../app/stats.ts";
import { writeUp } from "../../profiles.ts";
import { postShape } from "../../x/shapes/post.ts";

import { APPS, defineTool } from "../product.ts";

const followerDay = z.object({
  date: z.string().describe("UTC"),
  follower_count: z.number(),
  following_count: z.number(),
  tweet_count: z.number(),
});

const topic = z.object({
  topic: z.string(),
  format: z.string(),
  total_posts: z.number(),
  avg_performance: z.number().nullable(),
});

const hour = z.object({
  weekday: z.enum(WEEKDAYS),
  hour: z.number(),
  posts: z.number().describe("Measured posts behind the average"),
  avg_performance: z.number().nullable(),
});

const looking = {
  category: "analytics",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
  errors: ["db_error"],
} as const;

export const getStats = defineTool({
  ...looking,
  name: "get_stats",
  searchWords: "how did my account do, account statistics, performance of posts and replies",
  app: APPS.analytics,
  title: "Get account statistics",
  description:
    "How the account did: followers per day, best topics, averages of recorded posts. For best hours use get_analytics_summary, for money get_x_usage.",
  input: z.strictObject({ days: z.int().min(1).max(365).default(7).describe("Days of the follower trend") }),
  output: z.object({
    follower_trend: z.array(followerDay).describe("Oldest first"),
    net_follower_change_7d: z.number().nullable().describe("Null before the second day is measured"),
    net_follower_change_30d: z.number().nullable(),
    top_topics: z.array(topic),
    avg_reply_engagement: z.number().nullable().describe("Null while nothing is measured"),
    avg_tweet_engagement: z.number().nullable(),
    replies_measured: z.number(),
    tweets_measured: z.number(),
    based_on: z.string(),
  }),
  handler: async ({ days }, services) => {
    const { trend, followers, topics, totals } = await accountStats(services, days);
    return ok({
      follower_trend: trend,
      net_follower_change_7d: followers.change_7d,
      net_follower_change_30d: followers.change_30d,
      top_topics: topics,
      avg_reply_engagement: totals.avgReply,
      avg_tweet_engagement: totals.avgTweet,
      replies_measured: totals.repliesMeasured,
      tweets_measured: totals.tweetsMeasured,
      based_on: basisOf(totals),
    });
  },
});

export const getAnalyticsSummary = defineTool({
  ...looking,
  name: "get_analytics_summary",
  facts: { everyday: true },
  searchWords:
    "weekly report, how did last week go, best time to post, when should I post, best hours, how are my posts doing, how many people saw my posts, statistics of the account",
  app: APPS.analytics,
  title: "Get all analytics",
  description:
    "Weekly report: followers, engagement, best topics, best hours to post, each kind of content. Call refresh_analytics first if it is old.",
  input: z.strictObject({
    heatmap: z.boolean().optional().describe("true: every hour of the week with measured posts, too"),
  }),
  output: z.object({
    followers: z
      .object({
        current: z.number().nullable(),
        change_7d: z.number().nullable(),
        change_30d: z.number().nullable(),
      })
      .describe("Null where not measured yet"),
    engagement: z.object({
      avg_reply_score: z.number().nullable(),
      avg_tweet_score: z.number().nullable(),
      total_replies: z.number(),
      total_tweets: z.number(),
    }),
    top_topics: z.array(topic),
    best_hours: z
      .array(z.object({ hour: z.number(), posts: z.number(), avg_performance: z.number() }))
      .describe(
        `Hours of the day that did better than the average, with ${MIN_SAMPLES} or more measured posts`,
      ),
    best_times: z
      .array(hour)
      .describe(
        `Hours of the week with ${MIN_SAMPLES} or more measured posts, in the time zone of the schedule`,
      ),
    heatmap: z
      .array(hour)
      .optional()
      .describe("Where asked for: hours with measured posts, from Monday 0:00"),
    content_breakdown: z.array(
      z.object({
        content_type: z.enum(["tweet", "reply", "quote", "thread"]),
        count: z.number(),
        measured: z.number(),
        avg_performance: z.number().nullable(),
        total_impressions: z.number(),
      }),
    ),
    based_on: z.string(),
  }),
  handler: async ({ heatmap: isAsked }, services) => {
    const { followers, topics, totals, hours } = await accountStats(services, 1);
    return ok({
      followers,
      engagement: {
        avg_reply_score: totals.avgReply,
        avg_tweet_score: totals.avgTweet,
        total_replies: totals.replies,
        total_tweets: totals.tweets,
      },
      top_topics: topics,
      best_hours: bestHours(hours),
      best_times: bestTimes(hours),
      ...(isAsked && { heatmap: heatmap(hours) }),
      content_breakdown: totals.byKind,
      based_on: basisOf(totals),
    });
  },
});

export const getFollowerTrend = defineTool({
  ...looking,
  name: "get_follower_trend",
  searchWords: "follower growth, how many followers did I gain or lose, followers per day",
  app: APPS.analytics,
  title: "Get the follower trend",
  description: "Get the number of followers on each of the latest days.",
  input: z.strictObject({ limit: z.int().min(1).max(365).default(7).describe("Days to go back") }),
  output: z.object({ days: z.array(followerDay).describe("Oldest first") }),
  handler: async ({ limit }, { db: { store, account } }) =>
    ok({ days: await followerTrend(store.db, account, limit) }),
});

export const getRecentReplies = defineTool({
  ...looking,
  name: "get_recent_replies",
  searchWords: "what did I reply lately, my replies, replies I sent",
  title: "List my latest replies",
  description: "List the replies of this account that were sent or tried, newest first.",
  input: z.strictObject({
    since_hours: z.number().positive().max(8_760).default(24).describe("Hours to go back"),
    limit: z.int().min(1).max(100).default(10).describe("At most so many"),
  }),
  output: z.object({
    replies: z.array(
      z.object({
        ...postShape,
        id: postShape.id.optional().describe("Left out unless it was published"),
        reply_to: z.string().describe("Id of the post it answers"),
        status: z.enum(["sent", "failed", "unknown"]),
        error_message: z.string().nullable(),
      }),
    ),
  }),
  handler: async ({ since_hours, limit }, { db, workflow }) => {
    const since = workflow.now() - since_hours * HOUR_MS;
    return ok({ replies: await recentReplies(db, since, limit) });
  },
});

export const getReplyCountToday = defineTool({
  ...looking,
  name: "get_reply_count_today",
  searchWords: "how many replies today",
  title: "Count today's replies",
  description:
    "Count the replies sent since midnight UTC. What the daily limit leaves is in get_rate_limits.",
  input: z.strictObject({}),
  output: z.object({ replies_today: z.number() }),
  handler: async (_input, { db: { store, account }, workflow }) =>
    ok({ replies_today: await repliesToday(store.db, account, workflow.now()) }),
});
