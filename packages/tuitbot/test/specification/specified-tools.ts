import type { Profile } from "../../src/profiles.ts";

/** A group of tools that the specification of the tool contract names, and its rules for all of them. */
export interface SpecifiedGroup {
  readonly names: readonly string[];
  readonly categories: readonly string[];
  readonly mutation: boolean;
  readonly lane: "shared" | "workflow";
  readonly profiles: readonly Profile[];
}

const everywhere: readonly Profile[] = [
  "readonly",
  "api-readonly",
  "write",
  "admin",
  "utility-readonly",
  "utility-write",
];
const writing: readonly Profile[] = ["write", "admin", "utility-write"];
const workflow: readonly Profile[] = ["write", "admin"];

/** Copied from the specification to be independent of the declarations. */
export const specifiedGroups: Readonly<Record<string, SpecifiedGroup>> = {
  "core reads": {
    names: [
      "get_tweet_by_id",
      "x_get_user_by_username",
      "x_search_tweets",
      "x_get_user_mentions",
      "x_get_user_tweets",
      "x_get_home_timeline",
      "x_get_user_by_id",
    ],
    categories: ["read"],
    mutation: false,
    lane: "shared",
    profiles: everywhere,
  },
  "configuration, scoring and health": {
    names: ["get_config", "score_tweet", "health_check"],
    categories: ["config", "scoring", "health"],
    mutation: false,
    lane: "shared",
    profiles: everywhere,
  },
  "configuration check": {
    names: ["validate_config"],
    categories: ["config"],
    mutation: false,
    lane: "shared",
    profiles: everywhere.filter((profile) => profile !== "readonly"),
  },
  "extended reads": {
    names: [
      "x_get_followers",
      "x_get_following",
      "x_get_liked_tweets",
      "x_get_bookmarks",
      "x_get_users_by_ids",
      "x_get_tweet_liking_users",
    ],
    categories: ["read"],
    mutation: false,
    lane: "shared",
    profiles: ["api-readonly", ...writing],
  },
  writes: {
    names: ["x_post_tweet", "x_reply_to_tweet", "x_quote_tweet", "x_delete_tweet", "x_post_thread"],
    categories: ["write"],
    mutation: true,
    lane: "shared",
    profiles: writing,
  },
  engagements: {
    names: [
      "x_like_tweet",
      "x_unlike_tweet",
      "x_follow_user",
      "x_unfollow_user",
      "x_retweet",
      "x_unretweet",
      "x_bookmark_tweet",
      "x_unbookmark_tweet",
    ],
    categories: ["engage"],
    mutation: true,
    lane: "shared",
    profiles: writing,
  },
  media: {
    names: ["x_upload_media"],
    categories: ["media"],
    mutation: true,
    lane: "shared",
    profiles: writing,
  },
  "composer and workflow reads": {
    names: ["get_discovery_feed", "suggest_topics", "get_stats", "list_pending_approvals"],
    categories: ["discovery", "content", "analytics", "approval"],
    mutation: false,
    lane: "workflow",
    profiles: workflow,
  },
  composing: {
    names: ["compose_tweet"],
    categories: ["write"],
    // It stores the draft.
    mutation: true,
    lane: "workflow",
    profiles: workflow,
  },
};

/** The ten categories of the tool reference, each with tools that are in it. */
export const referenceCategories: readonly (readonly [category: string, tools: readonly string[]])[] = [
  ["Analytics", ["get_stats", "get_analytics_summary", "get_follower_trend"]],
  ["Action log", ["get_action_log", "get_action_counts"]],
  ["Rate limits", ["get_rate_limits"]],
  ["Replies and discovery", ["get_recent_replies", "get_reply_count_today", "list_unreplied_tweets"]],
  ["Targets", ["list_target_accounts"]],
  ["Scoring", ["score_tweet"]],
  [
    "Approval queue",
    ["list_pending_approvals", "get_pending_count", "approve_item", "reject_item", "approve_all"],
  ],
  ["Content generation", ["generate_reply", "generate_tweet", "generate_thread"]],
  ["Config and health", ["get_config", "validate_config", "health_check"]],
  ["Composer mode", ["get_mode", "compose_tweet", "get_discovery_feed", "suggest_topics"]],
];
