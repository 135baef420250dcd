import { badInput, none, notFound, type ToolCall } from "./tool-call.ts";

const onList: ToolCall = {
  args: ({ myLists }) => ({ id: myLists[0] }),
  failures: [notFound(() => ({ id: "1" })), badInput("no list", () => ({ id: "mine" }))],
};

export const listsCalls: Readonly<Record<string, ToolCall>> = {
  x_v2_lists_get: onList,
  x_v2_lists_owned: { args: () => ({ user_id: "me" }), failures: [notFound(() => ({ user_id: "1" }))] },
  x_v2_lists_memberships: {
    args: () => ({ user_id: "@sandbox_friend" }),
    failures: [notFound(() => ({ user_id: "1" }))],
  },
  x_v2_lists_pinned: {
    args: none,
    failures: [
      {
        what: "somebody else's",
        args: ({ friend }) => ({ user_id: friend }),
        code: "invalid_input",
        asksX: true,
      },
    ],
  },
  x_v2_lists_tweets: onList,
  x_v2_lists_members: onList,
  x_v2_lists_followers: onList,
  x_v2_lists_create: {
    args: () => ({ name: "New" }),
    failures: [badInput("a long name", () => ({ name: "x".repeat(26) }))],
  },
  x_v2_lists_update: {
    args: ({ myLists }) => ({ id: myLists[0], name: "Changed" }),
    failures: [
      notFound(() => ({ id: "1", name: "a" })),
      {
        what: "somebody else's",
        args: ({ friendsList }) => ({ id: friendsList, name: "Mine" }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_v2_lists_delete: {
    args: ({ myLists }) => ({ id: myLists[1] }),
    fresh: ({ newList }) => ({ id: newList() }),
    failures: [notFound(() => ({ id: "1" }))],
  },
  x_v2_lists_members_add: {
    args: ({ myLists }) => ({ id: myLists[0], user_id: "@sandbox_friend" }),
    failures: [notFound(({ myLists }) => ({ id: myLists[0], user_id: "1" }))],
  },
  x_v2_lists_members_remove: {
    args: ({ myLists, friend }) => ({ id: myLists[0], target_user_id: friend }),
    failures: [notFound(({ friend }) => ({ id: "1", target_user_id: friend }))],
  },
  x_v2_lists_follow: {
    args: ({ friendsList }) => ({ list_id: friendsList }),
    failures: [
      notFound(() => ({ list_id: "1" })),
      {
        what: "one's own",
        args: ({ myLists }) => ({ list_id: myLists[0] }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_v2_lists_unfollow: { args: ({ friendsList }) => ({ list_id: friendsList }) },
  x_v2_lists_pin: {
    args: ({ friendsList }) => ({ list_id: friendsList }),
    failures: [notFound(() => ({ list_id: "1" }))],
  },
};
