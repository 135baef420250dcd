import { badInput, notFound, type ToolCall } from "./tool-call.ts";

export const spacesCalls: Readonly<Record<string, ToolCall>> = {
  x_v2_spaces_get: {
    args: ({ liveSpace }) => ({ id: `https://x.com/i/spaces/${liveSpace}` }),
    failures: [notFound(() => ({ id: "1nowhere" })), badInput("no Space", () => ({ id: "a/b" }))],
  },
  x_v2_spaces_lookup: {
    args: ({ liveSpace }) => ({ ids: `${liveSpace},1nowhere` }),
    failures: [notFound(() => ({ ids: "1nowhere" }))],
  },
  x_v2_spaces_by_creator: {
    args: ({ me, friend }) => ({ user_ids: `${me},${friend}` }),
    failures: [badInput("a name", () => ({ user_ids: "@sandbox_friend" }))],
  },
  x_v2_spaces_search: { args: () => ({ query: "after hours", state: "live" }) },
  x_v2_spaces_buyers: {
    args: ({ mySpace }) => ({ id: mySpace }),
    failures: [notFound(() => ({ id: "1nowhere" }))],
  },
  x_v2_spaces_tweets: {
    args: ({ liveSpace }) => ({ id: liveSpace }),
    failures: [notFound(() => ({ id: "1nowhere" }))],
  },
};
