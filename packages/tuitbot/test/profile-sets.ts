import type { Profile } from "../src/profiles.ts";

const coreReads = [
  "get_tweet_by_id",
  "x_get_home_timeline",
  "x_get_user_by_id",
  "x_get_user_by_username",
  "x_get_user_mentions",
  "x_get_user_tweets",
  "x_search_tweets",
];

const extendedReads = [
  "x_get_bookmarks",
  "x_get_followers",
  "x_get_following",
  "x_get_liked_tweets",
  "x_get_tweet_liking_users",
  "x_get_users_by_ids",
];

const lookups = [
  "x_v2_tweets_lookup",
  "x_v2_tweets_quote_tweets",
  "x_v2_tweets_retweeted_by",
  "x_v2_users_lookup_by_usernames",
];

const readonly = ["get_config", "health_check", "score_tweet", ...coreReads];

const utilityReadonly = [
  "get_config",
  "validate_config",
  "health_check",
  "score_tweet",
  ...coreReads,
  ...lookups,
];

const writes = ["x_delete_tweet", "x_post_thread", "x_post_tweet", "x_quote_tweet", "x_reply_to_tweet"];

const engages = [
  "x_bookmark_tweet",
  "x_follow_user",
  "x_like_tweet",
  "x_retweet",
  "x_unbookmark_tweet",
  "x_unfollow_user",
  "x_unlike_tweet",
  "x_unretweet",
  "x_v2_users_pin_tweet",
  "x_v2_users_unpin_tweet",
];

const lists = [
  "x_v2_lists_create",
  "x_v2_lists_delete",
  "x_v2_lists_follow",
  "x_v2_lists_followers",
  "x_v2_lists_get",
  "x_v2_lists_members",
  "x_v2_lists_members_add",
  "x_v2_lists_members_remove",
  "x_v2_lists_memberships",
  "x_v2_lists_owned",
  "x_v2_lists_pin",
  "x_v2_lists_pinned",
  "x_v2_lists_tweets",
  "x_v2_lists_unfollow",
  "x_v2_lists_update",
];

const moderation = [
  "x_v2_blocks_create",
  "x_v2_blocks_delete",
  "x_v2_blocks_list",
  "x_v2_mutes_create",
  "x_v2_mutes_delete",
  "x_v2_mutes_list",
  "x_v2_tweets_hide_reply",
  "x_v2_tweets_unhide_reply",
];

const spacesAndCounts = [
  "x_v2_spaces_buyers",
  "x_v2_spaces_by_creator",
  "x_v2_spaces_get",
  "x_v2_spaces_lookup",
  "x_v2_spaces_search",
  "x_v2_spaces_tweets",
  "x_v2_tweets_counts_recent",
];

const utilityWrite = [
  ...utilityReadonly,
  ...extendedReads,
  ...writes,
  ...engages,
  ...lists,
  ...moderation,
  ...spacesAndCounts,
  "x_upload_media",
];

/** Profiles whose set of tools is fixed, name by name. */
export const exactSets = {
  readonly,
  "api-readonly": [
    ...readonly,
    ...extendedReads,
    "x_get_me",
    "validate_config",
    "get_capabilities",
    "get_mode",
  ],
  "utility-readonly": utilityReadonly,
  "utility-write": utilityWrite,
} satisfies Partial<Record<Profile, readonly string[]>>;

const workflow = [
  "approve_all",
  "approve_item",
  "get_action_counts",
  "get_action_log",
  "get_mcp_error_breakdown",
  "get_mcp_tool_metrics",
  "get_mutation_detail",
  "get_pending_count",
  "get_policy_status",
  "get_rate_limits",
  "get_recent_mutations",
  "get_x_usage",
  "list_pending_approvals",
  "reject_item",
  "x_post_thread_dry_run",
  "x_post_tweet_dry_run",
];

const messages = [
  "x_v2_dm_conversation_by_id",
  "x_v2_dm_conversations",
  "x_v2_dm_create_group",
  "x_v2_dm_events",
  "x_v2_dm_events_by_conversation",
  "x_v2_dm_events_by_participant",
  "x_v2_dm_send_in_conversation",
  "x_v2_dm_send_to_participant",
];

const ofApp = [
  "x_v2_compliance_job_by_id",
  "x_v2_compliance_job_create",
  "x_v2_compliance_jobs",
  "x_v2_stream_rules_add",
  "x_v2_stream_rules_delete",
  "x_v2_stream_rules_list",
  "x_v2_usage_tweets",
];

const ads = [
  "x_ads_account_by_id",
  "x_ads_accounts",
  "x_ads_analytics",
  "x_ads_campaign_by_id",
  "x_ads_campaign_create",
  "x_ads_campaign_delete",
  "x_ads_campaign_update",
  "x_ads_campaigns",
  "x_ads_funding_instruments",
  "x_ads_line_item_create",
  "x_ads_line_items",
  "x_ads_promoted_tweet_create",
  "x_ads_promoted_tweets",
  "x_ads_targeting_create",
  "x_ads_targeting_criteria",
  "x_ads_targeting_delete",
];

const leastWrite = [
  ...utilityWrite,
  "x_get_me",
  "get_capabilities",
  "get_mode",
  ...workflow,
  ...messages,
  ...ofApp,
  ...ads,
];

/** Requests in X's own terms: what `admin` has and `write` has not. */
export const universal = ["x_delete", "x_get", "x_post", "x_put"];

/** Minimum sizes of `write` and `admin`; they may grow. */
export const floors = {
  write: leastWrite,
  admin: [...leastWrite, ...universal],
} satisfies Partial<Record<Profile, readonly string[]>>;
