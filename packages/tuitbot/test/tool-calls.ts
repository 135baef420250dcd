import type { OperationId } from "@toolpact/x-api";
import type { FaultWish } from "@toolpact/x-sandbox";
import type { ErrorCode } from "../src/errors.ts";
import type { Stage } from "./stage.ts";

type Args = Record<string, unknown>;

/** How one tool is called so that it succeeds, and how so that it fails in ways of its own. */
export interface ToolCall {
  readonly args: (stage: Stage) => Args;
  /** For tools that may call any operation: the one that these arguments call. */
  readonly operation?: OperationId;
  readonly failures?: readonly ToolFailure[];
}

export interface ToolFailure {
  readonly what: string;
  readonly args: (stage: Stage) => Args;
  readonly code: ErrorCode;
  readonly reason?: string;
  /** Trouble that is planned for it. */
  readonly fault?: FaultWish;
  /** Whether X is asked at all. */
  readonly asksX: boolean;
}

const none = (): Args => ({});
const longText = "x".repeat(281);
const nobody = "9999999999999999999";

function notFound(args: (stage: Stage) => Args): ToolFailure {
  return { what: "something that is not there", args, code: "not_found", asksX: true };
}

function badInput(what: string, args: (stage: Stage) => Args, reason?: string): ToolFailure {
  return { what, args, code: "invalid_input", ...(reason && { reason }), asksX: false };
}

function tooLong(args: (stage: Stage) => Args): ToolFailure {
  return { what: "a text that is too long", args, code: "tweet_too_long", asksX: false };
}

const onPost: ToolCall = {
  args: ({ friendsPost }) => ({ tweet_id: friendsPost }),
  failures: [notFound(() => ({ tweet_id: "1" })), badInput("no post", () => ({ tweet_id: "that one" }))],
};

/** Taking back what was never there succeeds at X. */
const takeBack: ToolCall = {
  args: ({ friendsPost }) => ({ tweet_id: `https://x.com/sandbox_friend/status/${friendsPost}` }),
  failures: [badInput("no post", () => ({ tweet_id: "https://example.com/status/1" }))],
};

const onList: ToolCall = {
  args: ({ myLists }) => ({ id: myLists[0] }),
  failures: [notFound(() => ({ id: "1" })), badInput("no list", () => ({ id: "mine" }))],
};

const removed: ToolFailure = {
  what: "what X has removed",
  args: none,
  code: "x_forbidden",
  reason: "removed_by_x",
  asksX: false,
};

export const toolCalls: Readonly<Record<string, ToolCall>> = {
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

  x_post_tweet: {
    args: () => ({ text: "A new post." }),
    failures: [
      tooLong(() => ({ text: longText })),
      badInput("nothing", () => ({ text: "" })),
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
  x_reply_to_tweet: {
    args: ({ friendsPost }) => ({ text: "An answer.", in_reply_to_id: friendsPost }),
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
  x_v2_blocks_create: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [{ ...removed, args: ({ stranger }) => ({ target_user_id: stranger }) }],
  },
  x_v2_blocks_delete: {
    args: ({ stranger }) => ({ target_user_id: stranger }),
    failures: [{ ...removed, args: ({ stranger }) => ({ target_user_id: stranger }) }],
  },
  x_v2_dm_conversations: { args: none, failures: [removed] },
  x_v2_dm_conversation_by_id: {
    args: ({ conversation }) => ({ id: conversation }),
    failures: [{ ...removed, args: ({ conversation }) => ({ id: conversation }) }],
  },

  x_upload_media: {
    args: () => ({ file_path: "cat.png", alt_text: "A cat" }),
    failures: [
      {
        what: "a text",
        args: () => ({ file_path: "notes.txt" }),
        code: "unsupported_media_type",
        asksX: false,
      },
      {
        what: "what is not there",
        args: () => ({ file_path: "dog.png" }),
        code: "file_read_error",
        asksX: false,
      },
      {
        what: "too much",
        args: () => ({ file_path: "huge.png" }),
        code: "media_upload_error",
        reason: "too_large",
        asksX: false,
      },
      badInput("a file elsewhere", () => ({ file_path: "/etc/hostname" }), "path_not_allowed"),
    ],
  },

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

  x_v2_dm_events: { args: none },
  x_v2_dm_events_by_conversation: {
    args: ({ conversation }) => ({ id: conversation }),
    failures: [badInput("no conversation", () => ({ id: "with a friend" }))],
  },
  x_v2_dm_events_by_participant: { args: () => ({ participant_id: "@sandbox_friend" }) },
  x_v2_dm_send_in_conversation: {
    args: ({ conversation }) => ({ id: conversation, text: "Hello again." }),
    failures: [
      notFound(() => ({ id: "1-2", text: "Hello?" })),
      badInput("nothing", () => ({ id: "1-2", text: "" })),
    ],
  },
  x_v2_dm_send_to_participant: {
    args: () => ({ participant_id: "@sandbox_friend", text: "Hello." }),
    failures: [
      notFound(() => ({ participant_id: "1", text: "Hello?" })),
      {
        what: "who takes no messages",
        args: ({ stranger }) => ({ participant_id: stranger, text: "Hello?" }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_v2_dm_create_group: {
    args: ({ sandbox, friend }) => {
      const other = [...sandbox.world.people.values()].find(
        ({ id, opensDms, standing }) => opensDms && standing === "active" && id !== friend,
      );
      return { participant_ids: `${friend},${other?.id}`, text: "Hello, all." };
    },
    failures: [
      notFound(({ friend }) => ({ participant_ids: `${friend},1`, text: "Hello?" })),
      badInput("one person", ({ friend }) => ({ participant_ids: friend, text: "Hello?" })),
    ],
  },

  x_get: {
    args: ({ friendsPost }) => ({ path: `/2/tweets/${friendsPost}` }),
    operation: "getPostsById",
    failures: [
      badInput("another host", () => ({ path: "/2/users/me", host: "127.0.0.1" }), "request_blocked"),
      badInput("a way that climbs", () => ({ path: "/2/../x" }), "request_blocked"),
      badInput(
        "a sign-in of its own",
        () => ({ path: "/2/users/me", headers: [{ key: "Authorization", value: "Bearer x" }] }),
        "request_blocked",
      ),
    ],
  },
  x_post: {
    args: () => ({ path: "/2/lists", body: '{"name":"By hand"}' }),
    operation: "createLists",
    failures: [
      tooLong(() => ({ path: "/2/tweets", body: JSON.stringify({ text: longText }) })),
      badInput("a body that is none", () => ({ path: "/2/lists", body: "name=x" })),
    ],
  },
  x_put: {
    args: ({ myLists }) => ({ path: `/2/lists/${myLists[2]}`, body: '{"name":"By hand"}' }),
    operation: "updateLists",
    failures: [
      badInput("another host", () => ({ path: "/2/lists/1", host: "example.com" }), "request_blocked"),
    ],
  },
  x_delete: {
    args: ({ myLists }) => ({ path: `/2/lists/${myLists[3]}` }),
    operation: "deleteLists",
    failures: [notFound(() => ({ path: "/2/lists/1" }))],
  },
};
