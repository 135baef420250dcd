import * as z from "zod";
import { allSix, writeUpAndApiReadonlyAndUtilityWrite } from "../../profiles.ts";
import { aPerson, aPost, since_id } from "../params.ts";
import { byUserId, xReadOne, xReadPage } from "./x-read.ts";

const ofPerson = byUserId(aPerson);

export const getTweetById = xReadOne({
  name: "get_tweet_by_id",
  facts: { everyday: true },
  title: "Get a post",
  description:
    "Get one post by its id or URL: text, author, counts and links. Rate it for a reply with score_tweet.",
  category: "read",
  profiles: allSix,
  operation: "getPostsById",
  kind: "posts",
  params: { tweet_id: aPost },
  place: ({ tweet_id }) => ({ path: { id: tweet_id } }),
});

export const searchTweets = xReadPage({
  name: "x_search_tweets",
  facts: { everyday: true },
  title: "Search posts",
  description:
    "Search the posts of the last 7 days and return the matches, newest first. Pass since_id to get only what came after the last search.",
  category: "read",
  profiles: allSix,
  operation: "searchPostsRecent",
  kind: "posts",
  params: {
    query: z
      .string()
      .min(1)
      .max(4096)
      .describe("Words and operators of X: from:name, #tag, -is:retweet, lang:en"),
    since_id,
  },
  page: [10, 100],
  place: ({ query, since_id }) => ({ query: { query, since_id } }),
});

export const getUserTweets = xReadPage({
  name: "x_get_user_tweets",
  facts: { everyday: true },
  title: "List a person's posts",
  description: "List what one person posted, newest first. For posts about a topic use x_search_tweets.",
  category: "read",
  profiles: allSix,
  operation: "getUsersPosts",
  kind: "posts",
  ...ofPerson,
  page: [5, 100],
});

export const getUserMentions = xReadPage({
  name: "x_get_user_mentions",
  facts: { everyday: true },
  title: "List mentions of me",
  description:
    "List posts that mention the signed-in account, newest first. X allows replies to these on every plan.",
  category: "read",
  profiles: allSix,
  operation: "getUsersMentions",
  kind: "posts",
  params: { since_id },
  page: [5, 100],
  own: "id",
  place: ({ since_id }) => ({ query: { since_id } }),
});

export const getHomeTimeline = xReadPage({
  name: "x_get_home_timeline",
  facts: { everyday: true },
  title: "List my timeline",
  description: "List the newest posts of the people whom the signed-in account follows.",
  category: "read",
  profiles: allSix,
  operation: "getUsersTimeline",
  kind: "posts",
  params: {},
  own: "id",
  page: [1, 100],
  place: () => ({}),
});

export const getLikedTweets = xReadPage({
  name: "x_get_liked_tweets",
  title: "List a person's likes",
  description: "List the posts that a person likes, the latest like first.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersLikedPosts",
  kind: "posts",
  ...ofPerson,
  page: [5, 100],
});

export const getBookmarks = xReadPage({
  name: "x_get_bookmarks",
  title: "List my bookmarks",
  description: "List the posts that the signed-in account has bookmarked, the latest first.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersBookmarks",
  kind: "posts",
  params: {},
  own: "id",
  page: [1, 100],
  place: () => ({}),
});
