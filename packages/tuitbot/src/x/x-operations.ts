import { type Action, type OperationId, operations } from "@toolpact/x-api";

/** The scopes that the signed-in account must have granted for a tool. */
export function scopesOf(tool: string): readonly string[] {
  const scopes = (operationsOf[tool] ?? []).flatMap((id) =>
    operations[id].auth.flatMap((auth) => (auth.scheme === "oauth2" ? auth.scopes : [])),
  );
  return [...new Set(scopes)].sort();
}

/** The scopes for all of these tools. `auth login` also asks for what keeps the sign-in alive. */
export function scopesForAll(tools: readonly string[]): readonly string[] {
  return [...new Set(tools.flatMap(scopesOf))].sort();
}

/**
 * The operations of X that a tool may call, beside finding out who is signed in and whom an @name means. Tools that
 * are not listed call none, or any.
 */
export const operationsOf: Readonly<Record<string, readonly OperationId[]>> = {
  find_reply_opportunities: ["searchPostsRecent"],
  get_tweet_by_id: ["getPostsById"],
  health_check: ["getUsersMe"],
  x_bookmark_tweet: ["createUsersBookmark"],
  x_delete_tweet: ["deletePosts"],
  x_follow_user: ["followUser"],
  x_get_bookmarks: ["getUsersBookmarks"],
  x_get_followers: ["getUsersFollowers"],
  x_get_following: ["getUsersFollowing"],
  x_get_home_timeline: ["getUsersTimeline"],
  x_get_liked_tweets: ["getUsersLikedPosts"],
  x_get_me: ["getUsersMe"],
  x_get_tweet_liking_users: ["getPostsLikingUsers"],
  x_get_user_by_id: ["getUsersById"],
  x_get_user_by_username: ["getUsersByUsername"],
  x_get_user_mentions: ["getUsersMentions"],
  x_get_user_tweets: ["getUsersPosts"],
  x_get_users_by_ids: ["getUsersByIds"],
  x_like_tweet: ["likePost"],
  x_post_thread: ["createPosts", "getUsersPosts"],
  x_post_tweet: ["createPosts"],
  x_quote_tweet: ["createPosts"],
  x_reply_to_tweet: ["createPosts", "getPostsById"],
  x_retweet: ["repostPost"],
  x_search_tweets: ["searchPostsRecent"],
  x_unbookmark_tweet: ["deleteUsersBookmark"],
  x_unfollow_user: ["unfollowUser"],
  x_unlike_tweet: ["unlikePost"],
  x_unretweet: ["unrepostPost"],
  x_upload_media: [
    "mediaUpload",
    "initializeMediaUpload",
    "appendMediaUpload",
    "finalizeMediaUpload",
    "getMediaUploadStatus",
    "createMediaMetadata",
  ],
  x_v2_blocks_list: ["getUsersBlocking"],
  x_v2_compliance_job_by_id: ["getComplianceJobsById"],
  x_v2_compliance_job_create: ["createComplianceJobs"],
  x_v2_compliance_jobs: ["getComplianceJobs"],
  x_v2_dm_create_group: ["createDirectMessagesConversation"],
  x_v2_dm_events: ["getDirectMessagesEvents"],
  x_v2_dm_events_by_conversation: ["getDirectMessagesEventsByConversationId"],
  x_v2_dm_events_by_participant: ["getDirectMessagesEventsByParticipantId"],
  x_v2_dm_send_in_conversation: ["createDirectMessagesByConversationId"],
  x_v2_dm_send_to_participant: ["createDirectMessagesByParticipantId"],
  x_v2_lists_create: ["createLists"],
  x_v2_lists_delete: ["deleteLists"],
  x_v2_lists_follow: ["followList"],
  x_v2_lists_followers: ["getListsFollowers"],
  x_v2_lists_get: ["getListsById"],
  x_v2_lists_members: ["getListsMembers"],
  x_v2_lists_members_add: ["addListsMember"],
  x_v2_lists_members_remove: ["removeListsMemberByUserId"],
  x_v2_lists_memberships: ["getUsersListMemberships"],
  x_v2_lists_owned: ["getUsersOwnedLists"],
  x_v2_lists_pin: ["pinList"],
  x_v2_lists_pinned: ["getUsersPinnedLists"],
  x_v2_lists_tweets: ["getListsPosts"],
  x_v2_lists_unfollow: ["unfollowList"],
  x_v2_lists_update: ["updateLists"],
  x_v2_mutes_create: ["muteUser"],
  x_v2_mutes_delete: ["unmuteUser"],
  x_v2_mutes_list: ["getUsersMuting"],
  x_v2_spaces_buyers: ["getSpacesBuyers"],
  x_v2_spaces_by_creator: ["getSpacesByCreatorIds"],
  x_v2_spaces_get: ["getSpacesById"],
  x_v2_spaces_lookup: ["getSpacesByIds"],
  x_v2_spaces_search: ["searchSpaces"],
  x_v2_spaces_tweets: ["getSpacesPosts"],
  x_v2_stream_rules_add: ["updateRules"],
  x_v2_stream_rules_delete: ["updateRules"],
  x_v2_stream_rules_list: ["getRules"],
  x_v2_tweets_counts_recent: ["getPostsCountsRecent"],
  x_v2_tweets_hide_reply: ["hidePostsReply"],
  x_v2_tweets_lookup: ["getPostsByIds"],
  x_v2_tweets_quote_tweets: ["getPostsQuotedPosts"],
  x_v2_tweets_retweeted_by: ["getPostsRepostedBy"],
  x_v2_tweets_unhide_reply: ["hidePostsReply"],
  x_v2_usage_tweets: ["getUsage"],
  x_v2_users_lookup_by_usernames: ["getUsersByUsernames"],
};

/** What a tool does that X does not let everyone do. */
export const actionOf: Readonly<Record<string, Action>> = {
  x_follow_user: "follow",
  x_like_tweet: "like",
  x_quote_tweet: "quote",
  x_reply_to_tweet: "reply",
  x_v2_blocks_create: "block",
  x_v2_blocks_delete: "unblock",
  x_v2_users_pin_tweet: "pin_post",
  x_v2_users_unpin_tweet: "unpin_post",
};
