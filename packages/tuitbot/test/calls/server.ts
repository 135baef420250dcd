import { badInput, none, notFound, type ToolCall } from "./tool-call.ts";

export const serverCalls: Readonly<Record<string, ToolCall>> = {
  find_tools: {
    args: () => ({ query: "mute somebody" }),
    failures: [badInput("no words", () => ({ query: "" }))],
  },
  get_capabilities: { args: none },
  get_config: { args: none },
  get_mode: { args: none },
  health_check: { args: none },
  validate_config: { args: none },
  score_tweet: {
    args: ({ friendsPost }) => ({ tweet_id: friendsPost }),
    failures: [
      notFound(() => ({ tweet_id: "1" })),
      badInput("neither a post nor its numbers", () => ({ text: "rust", likes: 1 })),
      badInput("no time", () => ({
        text: "rust",
        author_username: "a",
        author_followers: 1,
        likes: 0,
        retweets: 0,
        replies: 0,
        created_at: "yesterday",
      })),
      badInput("a count below 0", () => ({ text: "rust", likes: -1 })),
    ],
  },
};
