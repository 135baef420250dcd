/** The toolset beside the categories: what most days need. */
export const EVERYDAY = "everyday";

/** Reading, replying, own posts and drafts, what waits for approval, and how it does. */
export const everydayTools: readonly string[] = [
  "create_draft",
  "edit_draft",
  "find_reply_opportunities",
  "get_capabilities",
  "get_draft",
  "get_recent_mutations",
  "get_stats",
  "get_tweet_by_id",
  "health_check",
  "list_drafts",
  "list_pending_approvals",
  "publish_draft",
  "schedule_draft",
  "x_delete_tweet",
  "x_get_home_timeline",
  "x_get_me",
  "x_get_user_by_username",
  "x_get_user_mentions",
  "x_get_user_tweets",
  "x_like_tweet",
  "x_post_thread",
  "x_post_tweet",
  "x_post_tweet_dry_run",
  "x_reply_to_tweet",
  "x_search_tweets",
  "x_unlike_tweet",
  "x_upload_media",
];

/** The list that shows these tools and the one that finds the others. */
export const everydayList: readonly string[] = [...everydayTools, "find_tools"];
