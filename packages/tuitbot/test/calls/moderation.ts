import { badInput, notFound, removed, type ToolCall } from "./tool-call.ts";

export const moderationCalls: Readonly<Record<string, ToolCall>> = {
  x_v2_tweets_hide_reply: {
    args: ({ replyToMe }) => ({ id: replyToMe }),
    failures: [
      notFound(() => ({ id: "1" })),
      {
        what: "a reply in somebody else's conversation",
        args: ({ friendsPost }) => ({ id: friendsPost }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_v2_tweets_unhide_reply: {
    args: ({ replyToMe }) => ({ id: replyToMe, hidden: false }),
    failures: [
      notFound(() => ({ id: "1" })),
      badInput("to hide", ({ replyToMe }) => ({ id: replyToMe, hidden: true })),
    ],
  },
  x_v2_blocks_create: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [{ ...removed, args: ({ stranger }) => ({ target_user_id: stranger }) }],
  },
  x_v2_blocks_delete: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [{ ...removed, args: ({ stranger }) => ({ target_user_id: stranger }) }],
  },
  x_v2_mutes_list: {
    args: () => ({ max_results: 2 }),
    failures: [
      {
        what: "somebody else's",
        args: ({ friend }) => ({ user_id: friend }),
        code: "invalid_input",
        asksX: true,
      },
    ],
  },
  x_v2_mutes_create: {
    args: () => ({ target_user_id: "@sandbox_friend" }),
    failures: [notFound(() => ({ target_user_id: "1" }))],
  },
  x_v2_mutes_delete: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [notFound(() => ({ target_user_id: "1" }))],
  },
  x_v2_blocks_list: { args: () => ({ max_results: 2 }) },
};
