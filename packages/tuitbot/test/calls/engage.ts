import { badInput, none, notFound, onPost, removed, type ToolCall } from "./tool-call.ts";

/** Taking back what was never there succeeds at X. */
const takeBack: ToolCall = {
  args: ({ friendsPost }) => ({ tweet_id: `https://x.com/sandbox_friend/status/${friendsPost}` }),
  failures: [badInput("no post", () => ({ tweet_id: "https://example.com/status/1" }))],
};

export const engageCalls: Readonly<Record<string, ToolCall>> = {
  x_like_tweet: onPost,
  x_unlike_tweet: takeBack,
  x_retweet: onPost,
  x_unretweet: takeBack,
  x_bookmark_tweet: onPost,
  x_unbookmark_tweet: takeBack,
  x_follow_user: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [
      notFound(() => ({ target_user_id: "1" })),
      {
        what: "who blocked me",
        args: () => ({ target_user_id: "@sandbox_foe" }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_unfollow_user: {
    args: ({ friend }) => ({ target_user_id: friend }),
    failures: [notFound(() => ({ target_user_id: "1" }))],
  },
  x_v2_users_pin_tweet: {
    args: ({ myPost }) => ({ tweet_id: myPost }),
    failures: [{ ...removed, args: ({ myPost }) => ({ tweet_id: myPost }) }],
  },
  x_v2_users_unpin_tweet: { args: none, failures: [removed] },
};
