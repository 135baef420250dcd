import { badInput, none, type ToolCall } from "./tool-call.ts";

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
    args: () => ({
      text: "rust",
      author_username: "sandbox_friend",
      author_followers: 5000,
      likes: 10,
      retweets: 1,
      replies: 0,
      created_at: "2026-09-01T12:00:00Z",
    }),
    failures: [
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
