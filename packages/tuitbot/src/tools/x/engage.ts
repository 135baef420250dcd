import * as z from "zod";
import { xErrors } from "../../errors.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { markPost, setFollowing } from "../../x/toolkit/engage.ts";
import { aPost, somebodyElse } from "../params.ts";
import { defineTool } from "../product.ts";

const onPost = z.strictObject({ tweet_id: aPost });
const onPerson = z.strictObject({ target_user_id: somebodyElse });

const marking = {
  category: "engage",
  effect: "mark",
  openWorld: true,
  profiles: writeUpAndUtilityWrite,
  needs: ["x"],
  errors: xErrors,
} as const;

const takingBack = { ...marking, effect: "undo" } as const;

const liked = z.object({ liked: z.boolean(), tweet_id: z.string() });
const retweeted = z.object({ retweeted: z.boolean(), tweet_id: z.string() });
const bookmarked = z.object({ bookmarked: z.boolean(), tweet_id: z.string() });
const following = z.object({
  following: z.boolean(),
  pending: z.boolean().optional().describe("The account has to agree first"),
  target_user_id: z.string(),
});

export const likeTweet = defineTool({
  ...marking,
  name: "x_like_tweet",
  searchWords: "like a post, favorite a post, heart",
  facts: { operations: ["likePost"] },
  title: "Like a post",
  description:
    "Enterprise plan only. Like a post. To keep a post for yourself use x_bookmark_tweet. Undo with x_unlike_tweet.",
  input: onPost,
  output: liked,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "like", tweet_id, signal),
});

export const unlikeTweet = defineTool({
  ...takingBack,
  name: "x_unlike_tweet",
  searchWords: "unlike, remove a like",
  facts: { operations: ["unlikePost"] },
  title: "Remove a like",
  description: "Remove your like from a post.",
  input: onPost,
  output: liked,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "unlike", tweet_id, signal),
});

export const retweet = defineTool({
  ...marking,
  name: "x_retweet",
  searchWords: "retweet, share a post, repost, boost",
  facts: { operations: ["repostPost"], olderNames: ["repost"] },
  title: "Repost a post",
  description:
    "Repost a post to your followers without a text. To add a text use x_quote_tweet. Undo with x_unretweet.",
  input: onPost,
  output: retweeted,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "repost", tweet_id, signal),
});

export const unretweet = defineTool({
  ...takingBack,
  name: "x_unretweet",
  searchWords: "undo a retweet, remove a repost, unretweet",
  facts: { operations: ["unrepostPost"], olderNames: ["unrepost"] },
  title: "Remove a repost",
  description: "Remove your repost of a post.",
  input: onPost,
  output: retweeted,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "unrepost", tweet_id, signal),
});

export const bookmarkTweet = defineTool({
  ...marking,
  name: "x_bookmark_tweet",
  searchWords: "bookmark a post, save a post, keep a post for later, read later",
  facts: { operations: ["createUsersBookmark"] },
  title: "Bookmark a post",
  description: "Add a post to your bookmarks, which nobody else sees. Undo with x_unbookmark_tweet.",
  input: onPost,
  output: bookmarked,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "bookmark", tweet_id, signal),
});

export const unbookmarkTweet = defineTool({
  ...takingBack,
  name: "x_unbookmark_tweet",
  searchWords: "remove a bookmark, delete a saved post",
  facts: { operations: ["deleteUsersBookmark"] },
  title: "Remove a bookmark",
  description: "Remove a post from your bookmarks.",
  input: onPost,
  output: bookmarked,
  handler: ({ tweet_id }, { x, signal }) => markPost(x, "unbookmark", tweet_id, signal),
});

export const followUser = defineTool({
  ...marking,
  name: "x_follow_user",
  searchWords: "follow somebody, follow a person",
  facts: { operations: ["followUser"] },
  title: "Follow a person",
  description:
    "Enterprise plan only. Follow a person; a protected account has to accept first. Undo with x_unfollow_user.",
  input: onPerson,
  output: following,
  handler: ({ target_user_id }, { x, signal }) => setFollowing(x, true, target_user_id, signal),
});

export const unfollowUser = defineTool({
  ...takingBack,
  name: "x_unfollow_user",
  searchWords: "unfollow, stop following a person",
  facts: { operations: ["unfollowUser"] },
  title: "Unfollow a person",
  description: "Stop following a person.",
  input: onPerson,
  output: following,
  handler: ({ target_user_id }, { x, signal }) => setFollowing(x, false, target_user_id, signal),
});
