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
  facts: { operations: ["likePost"] },
  title: "Like",
  describe: "Like a post. X allows it on enterprise plans only. Undo with x_unlike_tweet.",
  input: onPost,
  output: liked,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "like", tweet_id, signal),
});

export const unlikeTweet = defineTool({
  ...takingBack,
  name: "x_unlike_tweet",
  facts: { operations: ["unlikePost"] },
  title: "Take a like back",
  describe: "Take a like back.",
  input: onPost,
  output: liked,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "unlike", tweet_id, signal),
});

export const retweet = defineTool({
  ...marking,
  name: "x_retweet",
  facts: { operations: ["repostPost"], olderNames: ["repost"] },
  title: "Repost",
  describe: "Repost a post to your followers. Undo with x_unretweet.",
  input: onPost,
  output: retweeted,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "repost", tweet_id, signal),
});

export const unretweet = defineTool({
  ...takingBack,
  name: "x_unretweet",
  facts: { operations: ["unrepostPost"], olderNames: ["unrepost"] },
  title: "Take a repost back",
  describe: "Take a repost back.",
  input: onPost,
  output: retweeted,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "unrepost", tweet_id, signal),
});

export const bookmarkTweet = defineTool({
  ...marking,
  name: "x_bookmark_tweet",
  facts: { operations: ["createUsersBookmark"] },
  title: "Bookmark",
  describe: "Keep a post among your bookmarks, seen by nobody else. Undo with x_unbookmark_tweet.",
  input: onPost,
  output: bookmarked,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "bookmark", tweet_id, signal),
});

export const unbookmarkTweet = defineTool({
  ...takingBack,
  name: "x_unbookmark_tweet",
  facts: { operations: ["deleteUsersBookmark"] },
  title: "Drop a bookmark",
  describe: "Drop a bookmark.",
  input: onPost,
  output: bookmarked,
  run: ({ tweet_id }, { x, signal }) => markPost(x, "unbookmark", tweet_id, signal),
});

export const followUser = defineTool({
  ...marking,
  name: "x_follow_user",
  facts: { operations: ["followUser"] },
  title: "Follow",
  describe: "Follow somebody. X allows it on enterprise plans only. Undo with x_unfollow_user.",
  input: onPerson,
  output: following,
  run: ({ target_user_id }, { x, signal }) => setFollowing(x, true, target_user_id, signal),
});

export const unfollowUser = defineTool({
  ...takingBack,
  name: "x_unfollow_user",
  facts: { operations: ["unfollowUser"] },
  title: "Unfollow",
  describe: "Stop following somebody.",
  input: onPerson,
  output: following,
  run: ({ target_user_id }, { x, signal }) => setFollowing(x, false, target_user_id, signal),
});
