import * as z from "zod";
import type { ServerState } from "../../app/services.ts";
import { mayReply } from "../../discovery/feed.ts";
import { allSix, writeUpAndApiReadonlyAndUtilityWrite } from "../../profiles.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import type { Page } from "../../x/toolkit/read.ts";
import { aPost, meByDefault, since_id } from "../params.ts";
import { byUserId, xReadOne, xReadPage } from "./x-read.ts";

const ofPerson = byUserId(meByDefault);

const time = z.string().max(MAX_WORD).optional();
const between = {
  since_id,
  start_time: time.describe("From this time, such as 2026-09-01T00:00:00Z"),
  end_time: time.describe("Before this time"),
};

export const getTweetById = xReadOne({
  name: "get_tweet_by_id",
  searchWords: "read one post, show a post by link, how is this post doing, look at a tweet",
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
  searchWords: "search posts, find tweets about a topic, what do people say about something, hashtag",
  facts: { everyday: true },
  title: "Search posts",
  description: "Search the posts of the last 7 days, newest first.",
  category: "read",
  profiles: allSix,
  operation: "searchPostsRecent",
  kind: "posts",
  params: {
    query: z
      .string()
      .min(1)
      .max(4096)
      .describe("Words and operators: from:name, #tag, -is:retweet, lang:de, has:links"),
    ...between,
  },
  page: [10, 100],
  place: (query) => ({ query }),
});

export const getUserTweets = xReadPage({
  name: "x_get_user_tweets",
  searchWords: "posts of a person, what did somebody post, my own posts, last posts of a user",
  facts: { everyday: true },
  title: "List a person's posts",
  description:
    "Posts of one person, newest first; your own by default. For posts about a topic use x_search_tweets.",
  category: "read",
  profiles: allSix,
  operation: "getUsersPosts",
  kind: "posts",
  params: {
    ...ofPerson.params,
    ...between,
    exclude: z
      .array(z.enum(["replies", "retweets"]))
      .max(2)
      .optional()
      .describe("Leave these out"),
  },
  people: ofPerson.people,
  page: [5, 100],
  place: ({ user_id, ...query }) => ({ path: { id: user_id }, query }),
  finish: ofOneAuthor,
});

/** Names the author once. */
function ofOneAuthor({ posts, ...page }: Page<"posts">): Page<"posts"> {
  const [{ author, author_followers } = {}] = posts;
  return {
    ...(author !== undefined && { author, author_followers }),
    posts: posts.map(({ author: _, author_followers: __, ...post }) => post),
    ...page,
  };
}

export const getUserMentions = xReadPage({
  name: "x_get_user_mentions",
  searchWords: "who mentioned me, mentions, notifications, replies to me, who is talking to me",
  facts: { everyday: true },
  title: "List mentions of me",
  description:
    "List posts that mention the signed-in account, newest first. X allows replies to these on every plan.",
  category: "read",
  profiles: allSix,
  operation: "getUsersMentions",
  kind: "posts",
  params: between,
  page: [5, 100],
  own: "id",
  place: (query) => ({ query }),
  finish: withReplyState,
});

/** If replies are stored, with answerability. */
async function withReplyState(
  { posts, ...page }: Page<"posts">,
  { access, repliesTo }: ServerState,
  signal: AbortSignal,
): Promise<Page<"posts">> {
  const known = await repliesTo?.(
    posts.map(({ id }) => id),
    signal,
  );
  return {
    posts: posts.map((post) => ({
      ...post,
      ...(known && { already_replied: known.answered.has(post.id) }),
      can_reply: mayReply(
        { is_summons: 1, reply_settings: null, reply_refused: known?.refused.has(post.id) ? 1 : 0 },
        access,
      ),
    })),
    ...page,
  };
}

export const getHomeTimeline = xReadPage({
  name: "x_get_home_timeline",
  searchWords: "my timeline, home feed, what is new from people I follow, news",
  facts: { everyday: true },
  title: "List my timeline",
  description: "Newest posts of the people you follow.",
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
  searchWords: "posts I liked, likes of a person",
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
  searchWords: "my bookmarks, saved posts, posts I saved",
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
