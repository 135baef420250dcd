import { cast } from "@toolpact/x-sandbox";
import type { LiveStage } from "../live-stage.ts";
import { badInput, none, notFound, type ToolCall } from "./tool-call.ts";

const weighed = {
  author_username: "@sandbox_friend",
  tweet_text: "A post about rust",
  campaign_objective: "meet people who write rust",
};

export const dataCalls: Readonly<Record<string, ToolCall>> = {
  refresh_analytics: {
    args: () => ({ limit: 5 }),
    failures: [
      badInput("no posts", () => ({ limit: 0 })),
      { ...notFound(none), fault: { operation: "getUsersMe", kind: "error", status: 404 } },
    ],
  },
  get_stats: { args: () => ({ days: 3 }), failures: [badInput("no days", () => ({ days: 0 }))] },
  get_analytics_summary: { args: none },
  get_follower_trend: { args: () => ({ limit: 3 }), failures: [badInput("no days", () => ({ limit: 0 }))] },
  get_recent_replies: {
    args: () => ({ since_hours: 24 }),
    failures: [badInput("no time", () => ({ since_hours: 0 }))],
  },
  get_reply_count_today: { args: none },
  get_discovery_feed: {
    args: () => ({ limit: 5, min_score: 0 }),
    failures: [
      badInput("a score above 100", () => ({ min_score: 101 })),
      badInput("too many", () => ({ limit: 101 })),
    ],
  },
  list_unreplied_tweets: {
    args: () => ({ threshold: 0 }),
    failures: [badInput("a score below 0", () => ({ threshold: -1 }))],
  },
  list_target_accounts: { args: none },
  get_author_context: {
    args: () => ({ identifier: "@sandbox_friend" }),
    failures: [badInput("nobody", () => ({ identifier: "two words" }))],
  },
  recommend_engagement_action: {
    args: () => weighed,
    failures: [badInput("no text", () => ({ ...weighed, tweet_text: "" }))],
  },
  topic_performance_snapshot: {
    args: none,
    failures: [badInput("no days", () => ({ lookback_days: 0 }))],
  },
  find_reply_opportunities: {
    args: () => ({ query: "rust", min_score: 0 }),
    failures: [
      badInput("nothing to search for", none),
      badInput("no post", () => ({ query: "rust", since_id: "the last" })),
      {
        ...notFound(() => ({ query: "rust" })),
        fault: { operation: "searchPostsRecent", kind: "error", status: 404 },
      },
    ],
  },
  draft_replies_for_candidates: {
    args: async (stage) => {
      stage.model.says("What did you find hardest about it?");
      return { candidate_ids: [await foundPost(stage)], archetype: "ask_question" };
    },
    failures: [
      badInput("no candidates", () => ({ candidate_ids: [] })),
      badInput("an archetype that is none", ({ friendsPost }) => ({
        candidate_ids: [friendsPost],
        archetype: "shout",
      })),
    ],
  },
  propose_and_queue_replies: {
    args: async (stage) => ({
      items: [{ candidate_id: await foundPost(stage), pre_drafted_text: "Which part of it?" }],
    }),
    failures: [badInput("no items", () => ({ items: [] }))],
  },
};

/** A post of a stranger's that discovery has just found. */
async function foundPost({ call, sandbox }: LiveStage): Promise<string> {
  const { id } = sandbox.say(cast.stranger, "Rust, what else?");
  // X's search shows a post after some seconds.
  sandbox.clock.advance(30_000);
  await call("find_reply_opportunities", { query: "rust what else", min_score: 0 });
  return id;
}
