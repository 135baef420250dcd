import { badInput, nobody, none, notFound, onPost, type ToolCall } from "./tool-call.ts";

export const readCalls: Readonly<Record<string, ToolCall>> = {
  get_tweet_by_id: onPost,
  x_get_home_timeline: { args: none, failures: [badInput("a page too large", () => ({ max_results: 101 }))] },
  x_get_user_mentions: { args: none, failures: [badInput("no post", () => ({ since_id: "the last" }))] },
  x_get_user_tweets: {
    args: () => ({ user_id: "@sandbox_friend" }),
    failures: [
      notFound(() => ({ user_id: nobody.slice(0, 18) })),
      notFound(() => ({ user_id: "@nobody_there" })),
      badInput("a page too small", () => ({ user_id: "me", max_results: 4 })),
    ],
  },
  x_get_user_by_id: {
    args: ({ friend }) => ({ user_id: friend }),
    failures: [notFound(() => ({ user_id: "1" })), badInput("nobody", () => ({ user_id: "two words" }))],
  },
  x_get_user_by_username: {
    args: () => ({ username: "@sandbox_friend" }),
    failures: [
      notFound(() => ({ username: "nobody_there" })),
      badInput("no name", () => ({ username: "a-b" })),
    ],
  },
  x_search_tweets: {
    args: () => ({ query: "rust" }),
    failures: [
      badInput("no query", () => ({ query: "" })),
      badInput("a page too small", () => ({ query: "a", max_results: 9 })),
    ],
  },
  x_get_me: { args: none },
  x_get_bookmarks: { args: none },
  x_get_followers: {
    args: () => ({ user_id: "me", max_results: 3 }),
    failures: [notFound(() => ({ user_id: "1" }))],
  },
  x_get_following: {
    args: () => ({ user_id: "me", max_results: 3 }),
    failures: [notFound(() => ({ user_id: "1" }))],
  },
  x_get_liked_tweets: {
    args: () => ({ user_id: "https://x.com/sandbox_friend" }),
    failures: [notFound(() => ({ user_id: "1" }))],
  },
  x_get_tweet_liking_users: onPost,
  x_get_users_by_ids: {
    args: ({ me, friend }) => ({ user_ids: [me, friend, "1"] }),
    failures: [
      notFound(() => ({ user_ids: ["1"] })),
      badInput("nobody", () => ({ user_ids: [] })),
      badInput("a name", () => ({ user_ids: ["@sandbox_friend"] })),
    ],
  },
  x_v2_tweets_lookup: {
    args: ({ myPost, friendsPost }) => ({ ids: `${myPost}, https://x.com/a/status/${friendsPost},1` }),
    failures: [notFound(() => ({ ids: "1" })), badInput("none", () => ({ ids: "" }))],
  },
  x_v2_users_lookup_by_usernames: {
    args: () => ({ usernames: "@sandbox_owner,sandbox_friend,nobody_there", user_fields: "created_at" }),
    failures: [notFound(() => ({ usernames: "nobody_there" })), badInput("none", () => ({ usernames: "," }))],
  },
  x_v2_tweets_retweeted_by: {
    args: ({ friendsPost }) => ({ id: friendsPost }),
    failures: [notFound(() => ({ id: "1" }))],
  },
  x_v2_tweets_quote_tweets: {
    args: ({ friendsPost }) => ({ id: friendsPost, response_format: "detailed" }),
    failures: [notFound(() => ({ id: "1" }))],
  },
  x_v2_tweets_counts_recent: {
    args: () => ({ query: "rust", granularity: "day" }),
    failures: [badInput("no time", () => ({ query: "rust", start_time: "yesterday" }))],
  },
};
