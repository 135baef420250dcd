import { cast } from "@toolpact/x-sandbox";
import { badInput, longText, notFound, type ToolCall, tooLong } from "./tool-call.ts";

export const writeCalls: Readonly<Record<string, ToolCall>> = {
  x_post_tweet: {
    args: () => ({ text: "A new post." }),
    failures: [
      tooLong(() => ({ text: longText })),
      badInput("nothing", () => ({ text: "" })),
      badInput("a poll with a picture", () => ({ text: "a", media_ids: ["1"], poll_options: ["b", "c"] })),
      badInput("five pictures", () => ({ text: "a", media_ids: ["1", "2", "3", "4", "5"] })),
      {
        what: "what was said before",
        args: () => ({ text: "Mine, about rust." }),
        code: "x_forbidden",
        reason: "duplicate_content",
        asksX: true,
      },
    ],
  },
  x_v2_articles_draft: {
    args: () => ({ title: "On rye", text: "# Rye\n\nIt takes **time**." }),
    failures: [badInput("no title", () => ({ title: " ", text: "a" }))],
  },
  x_reply_to_tweet: {
    args: ({ friendsPost }) => ({ text: "An answer.", in_reply_to_id: friendsPost }),
    // A post is answered once.
    fresh: ({ sandbox }) => ({
      text: "An answer.",
      in_reply_to_id: sandbox.say(cast.friend, "A question?").id,
    }),
    failures: [
      tooLong(({ friendsPost }) => ({ text: longText, in_reply_to_id: friendsPost })),
      {
        what: "to nothing",
        args: () => ({ text: "Hm.", in_reply_to_id: "1" }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_quote_tweet: {
    args: ({ friendsPost }) => ({ text: "Read this.", quoted_tweet_id: friendsPost }),
    failures: [
      tooLong(({ friendsPost }) => ({ text: longText, quoted_tweet_id: friendsPost })),
      badInput("with media", ({ friendsPost }) => ({
        text: "a",
        quoted_tweet_id: friendsPost,
        media_ids: ["1"],
      })),
    ],
  },
  x_delete_tweet: {
    args: ({ mySpare }) => ({ tweet_id: mySpare }),
    fresh: ({ sandbox }) => ({ tweet_id: sandbox.say(cast.owner, "Another that goes.").id }),
    failures: [
      notFound(() => ({ tweet_id: "1" })),
      {
        what: "somebody else's",
        args: ({ friendsPost }) => ({ tweet_id: friendsPost }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_post_thread: {
    args: () => ({ tweets: ["First of three.", "Second of three.", "Third of three."] }),
    failures: [
      tooLong(() => ({ tweets: ["fine", longText] })),
      badInput("nothing", () => ({ tweets: [] })),
      badInput("a handle that is none", () => ({ tweets: ["a"], resume: "thread_x" })),
      badInput("the same twice", () => ({ tweets: ["same", "same"] })),
      {
        what: "trouble in the middle",
        args: () => ({ tweets: ["Before it.", "In it.", "After it."] }),
        fault: { operation: "createPosts", kind: "rate_limited", at: 2 },
        code: "thread_partial_failure",
        asksX: true,
      },
    ],
  },
};
