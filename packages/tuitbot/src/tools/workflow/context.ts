import { ok } from "@toolpact/contract";
import * as z from "zod";
import { authorContext, authorRecord } from "../../analytics/author-context.ts";
import { repliesUsed } from "../../analytics/recent-replies.ts";
import { recommend } from "../../analytics/recommend.ts";
import { topicSnapshot } from "../../analytics/topic-snapshot.ts";
import { scoringKeywords } from "../../discovery/score.ts";
import { writeUp } from "../../profiles.ts";
import { orStorageFailure } from "../../storage/storage-error.ts";
import { handle, person } from "../../x/ids.ts";
import { postShape } from "../../x/shapes/post.ts";
import { MAX_POST, MAX_WORD } from "../../x/text-limits.ts";
import { NOTICE } from "../../x/untrusted.ts";
import { defineTool } from "../product.ts";

const looking = {
  category: "context",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow", "config"],
} as const;

const time = z.string().nullable();

export const getAuthorContext = defineTool({
  ...looking,
  name: "get_author_context",
  searchWords:
    "what do I know about this person, earlier conversations with a person, history with an author, did I talk to them before",
  title: "Get history with a person",
  description:
    "Get earlier replies to an author and how they performed, the author's topics, and reasons to be careful.",
  errors: ["context_error", "db_error"],
  input: z.strictObject({
    identifier: person.describe("@name or user id"),
    limit: z.int().min(1).max(20).default(5).describe("At most so many exchanges, the newest"),
  }),
  output: z.object({
    author_username: z.string(),
    author_id: z.string().nullable(),
    interaction_summary: z.object({
      total_replies_sent: z.number(),
      replies_today: z.number().describe("As the limit per author counts them"),
      first_interaction: time,
      last_interaction: time,
      distinct_days_active: z.number(),
    }),
    conversation_history: z.array(
      z.object({
        post: z.object(postShape).describe("Theirs, cut to 200 characters"),
        reply: z.object(postShape).describe("Yours, with figures once it was measured"),
        performance: z
          .object({
            performance_score: z.number().nullable(),
            engagement_rate: z.number().nullable().describe("Null without impressions"),
          })
          .optional(),
      }),
    ),
    topic_affinity: z.array(z.object({ keyword: z.string(), mention_count: z.number() })),
    risk_signals: z.array(
      z.object({ signal: z.string(), severity: z.enum(["high", "medium", "low"]), detail: z.string() }),
    ),
    response_metrics: z.object({
      replies_with_engagement: z.number(),
      replies_measured: z.number(),
      response_rate: z.number().nullable().describe("Null before a reply was measured"),
      avg_performance_score: z.number().nullable(),
    }),
    notice: z.string(),
  }),
  handler: ({ identifier, limit }, { db, workflow, config }) =>
    orStorageFailure(async () => {
      const { limits } = config.values;
      const context = await authorContext(db, identifier, limit, limits, workflow.now());
      return ok({ notice: NOTICE, ...context });
    }, "context_error"),
});

export const recommendEngagementAction = defineTool({
  ...looking,
  name: "recommend_engagement_action",
  searchWords: "should I reply to this post, is it worth answering",
  title: "Recommend an action",
  description:
    "Recommend whether to reply to a post, watch it or leave it, with the factors and limits for and against.",
  errors: ["recommendation_error", "db_error"],
  input: z.strictObject({
    author_username: handle.describe("Author, such as @XDevelopers"),
    tweet_text: z.string().min(1).max(MAX_POST).describe("Text of the post"),
    campaign_objective: z
      .string()
      .max(MAX_WORD)
      .optional()
      .describe("What you want to achieve, such as more sign-ups"),
  }),
  output: z.object({
    recommended_action: z.enum(["reply", "observe", "skip"]),
    score: z.number(),
    contributing_factors: z.array(
      z.object({
        factor: z.string(),
        signal: z.enum(["positive", "neutral", "negative"]),
        weight: z.number(),
        score: z.number(),
        detail: z.string(),
      }),
    ),
    policy_considerations: z.array(
      z.object({ policy: z.string(), status: z.enum(["warning", "blocked"]), detail: z.string() }),
    ),
  }),
  handler: (
    { author_username, tweet_text, campaign_objective },
    { db: { store, account }, workflow, config },
  ) =>
    orStorageFailure(async () => {
      const { limits } = config.values;
      const now = workflow.now();
      return ok(
        recommend({
          text: tweet_text,
          keywords: scoringKeywords(config.values),
          objective: campaign_objective,
          author: await authorRecord(store.db, account, author_username, limits, now),
          maxPerAuthor: limits.max_replies_per_author_per_day,
          repliesToday: await repliesUsed(store.db, account, workflow.policy, now),
          maxReplies: limits.max_replies_per_day,
          approvalMode: config.approvalMode,
        }),
      );
    }, "recommendation_error"),
});

export const topicPerformanceSnapshot = defineTool({
  ...looking,
  name: "topic_performance_snapshot",
  searchWords: "which topics work, best topics, performance by topic",
  title: "Get topic performance",
  description: "Compare each topic of your latest posts with the average, and get advice for each.",
  errors: ["topic_error", "db_error"],
  input: z.strictObject({ lookback_days: z.int().min(1).max(365).default(30).describe("Days to go back") }),
  output: z.object({
    lookback_days: z.number(),
    topics: z.array(
      z.object({
        topic: z.string(),
        post_count: z.number(),
        measured_count: z.number().describe("Posts a day old or more; the averages are theirs"),
        avg_performance: z.number().nullable(),
        performance_vs_average: z.number().nullable(),
        provenance: z.object({
          best_content_preview: z.string().nullable(),
          best_performance_score: z.number().nullable(),
          worst_performance_score: z.number().nullable(),
        }),
        recommendation: z.enum(["experiment", "double_down", "reduce", "maintain"]),
      }),
    ),
    overall_avg_performance: z.number().nullable(),
    total_posts_analyzed: z.number(),
  }),
  handler: ({ lookback_days }, { db: { store, account }, workflow }) =>
    orStorageFailure(
      async () => ok(await topicSnapshot(store.db, account, lookback_days, workflow.now())),
      "topic_error",
    ),
});
