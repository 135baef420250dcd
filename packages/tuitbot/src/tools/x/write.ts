import { type JsonObject, systemClock } from "@toolpact/contract";
import * as z from "zod";
import { xErrors, xThreadErrors, xWriteErrors } from "../../errors.ts";
import type { Undo } from "../../guards/call/tool-facts.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { mediaId, postId } from "../../x/ids.ts";
import {
  labels,
  type OptionArguments,
  optionsIn,
  postOptions,
  reply_settings,
} from "../../x/post-options.ts";
import { MAX_IDS, MAX_POST } from "../../x/text-limits.ts";
import { postThread } from "../../x/toolkit/thread.ts";
import { deletePost, type PostRequest, sendPost } from "../../x/toolkit/write.ts";
import { aPost, postsOfThread } from "../params.ts";
import { APPS, defineTool } from "../product.ts";

const text = z.string().max(MAX_POST).describe("Up to 280 weighted characters: a link counts 23, an emoji 2");
const media_ids = z.array(mediaId).max(4).optional().describe("Up to 4 ids from x_upload_media");

const posted = z.object({ id: z.string(), text: z.string(), url: z.string() });

/** By deletion. An edit's former text cannot be restored. */
function undoPost({ edits_tweet_id }: JsonObject, { id }: JsonObject): Undo | undefined {
  if (edits_tweet_id !== undefined) return undefined;
  return { params: { tweet_id: id ?? "" }, note: "What is deleted cannot be brought back." };
}

const writing = {
  app: APPS.approval,
  category: "write",
  effect: "create",
  openWorld: true,
  profiles: writeUpAndUtilityWrite,
  needs: ["x"],
} as const;

export const postTweet = defineTool({
  ...writing,
  name: "x_post_tweet",
  searchWords:
    "post a tweet, tweet, publish now, send a tweet, write a post, make a poll, limit who may reply to a post, label a post as made with AI, mark a post as paid partnership, post in a community, edit a published tweet, fix a typo",
  title: "Publish a post",
  description:
    "Post a tweet now, or ask the person first. For later use create_draft, to answer x_reply_to_tweet, for several in a row x_post_thread. A link costs 13 times as much. Undo with x_delete_tweet.",
  errors: xWriteErrors,
  facts: { everyday: true, operations: ["createPosts"], publishes: "post", undo: undoPost },
  input: z.strictObject({
    text,
    media_ids,
    ...postOptions,
    edits_tweet_id: postId
      .optional()
      .describe("Replace this post of yours instead, within an hour; needs X Premium. It gets a new id"),
  }),
  output: posted,
  plan: (input) => ({ posts: [postOf(input)] }),
  handler: (input, { x, signal }) => sendPost(x, postOf(input), signal),
});

interface PostArguments extends OptionArguments {
  readonly text: string;
  readonly media_ids?: string[] | undefined;
  readonly edits_tweet_id?: string | undefined;
}

function postOf({ text, media_ids, edits_tweet_id, ...options }: PostArguments): PostRequest {
  return { text, mediaIds: media_ids, edits: edits_tweet_id, options: optionsIn(options) };
}

export const replyToTweet = defineTool({
  ...writing,
  name: "x_reply_to_tweet",
  searchWords: "reply to a post, answer a tweet, answer a mention, comment on a post",
  title: "Reply to a post",
  description:
    "Publish a reply to a post. Without an enterprise plan X allows it only where the author mentioned or quoted you: x_get_user_mentions lists those.",
  errors: xWriteErrors,
  facts: {
    everyday: true,
    // The answered post is read first.
    operations: ["createPosts", "getPostsById"],
    publishes: "reply",
    undo: undoPost,
    olderNames: ["reply_to_post"],
  },
  input: z.strictObject({ text, in_reply_to_id: aPost, media_ids, ...labels }),
  output: posted,
  plan: ({ in_reply_to_id, ...input }) => ({ posts: [{ ...postOf(input), replyTo: in_reply_to_id }] }),
  handler: ({ in_reply_to_id, ...input }, { x, signal }) =>
    sendPost(x, { ...postOf(input), replyTo: in_reply_to_id }, signal),
});

export const quoteTweet = defineTool({
  ...writing,
  name: "x_quote_tweet",
  searchWords: "quote a post, retweet with a comment, repost with my own text",
  title: "Quote a post",
  description:
    "Enterprise plan only. Publish a post that shows another post below your text. To share it without a text use x_retweet.",
  errors: xWriteErrors,
  facts: { operations: ["createPosts"], publishes: "quote", action: "quote", undo: undoPost },
  input: z.strictObject({
    text,
    quoted_tweet_id: aPost,
    media_ids: z.array(mediaId).max(4).optional().describe("X rejects media in a quote"),
    reply_settings,
    ...labels,
  }),
  output: posted,
  plan: ({ quoted_tweet_id, ...input }) => ({ posts: [{ ...postOf(input), quoteOf: quoted_tweet_id }] }),
  handler: ({ quoted_tweet_id, ...input }, { x, signal }) =>
    sendPost(x, { ...postOf(input), quoteOf: quoted_tweet_id }, signal),
});

export const deleteTweet = defineTool({
  ...writing,
  name: "x_delete_tweet",
  searchWords: "delete a post, remove my tweet, take a post down",
  title: "Delete a post",
  description: "Delete a post of yours. It cannot be brought back.",
  effect: "delete",
  errors: xErrors,
  facts: { everyday: true, operations: ["deletePosts"] },
  input: z.strictObject({ tweet_id: aPost }),
  output: z.object({ deleted: z.boolean(), tweet_id: z.string() }),
  handler: ({ tweet_id }, { x, signal }) => deletePost(x, tweet_id, signal),
});

const THREAD_DEADLINE_MS = 180_000;
/** Time to report what was published. */
const TELLING_MS = 20_000;

export const postThreadTool = defineTool({
  ...writing,
  name: "x_post_thread",
  searchWords: "post a thread, several tweets in a row, series of tweets, tweetstorm",
  title: "Publish a thread",
  description:
    "Publish several posts as one thread; all texts are checked first. After thread_partial_failure call again with the same tweets and error.details.resume.",
  deadlineMs: THREAD_DEADLINE_MS,
  errors: xThreadErrors,
  facts: {
    everyday: true,
    operations: ["createPosts", "getUsersPosts"],
    publishes: "thread",
    policyCategory: "thread",
    undo: (_, { thread_tweet_ids }) => ({
      calls: (thread_tweet_ids as readonly string[]).toReversed().map((tweet_id) => ({ tweet_id })),
      note: "Delete them one by one in this order.",
    }),
  },
  input: z.strictObject({
    ...postsOfThread,
    reply_settings,
    ...labels,
    resume: z.string().max(MAX_IDS).optional().describe("error.details.resume of the call that failed"),
  }),
  output: z.object({
    thread_tweet_ids: z.array(z.string()),
    tweet_count: z.number(),
    root_tweet_id: z.string(),
  }),
  plan: (input) => ({
    posts: postsOf(input),
    // One post is no thread.
    ...(input.tweets.length === 1 && { sameAs: postTweet.name }),
  }),
  handler: ({ resume, ...input }, { x, signal, progress }) =>
    postThread(x, postsOf(input), resume, {
      signal,
      progress,
      clock: systemClock,
      stopAfterMs: THREAD_DEADLINE_MS - TELLING_MS,
    }),
});

interface ThreadArguments extends OptionArguments {
  readonly tweets: string[];
  readonly media_ids?: string[][] | undefined;
}

/** Labels are for every post, reply settings for the first. */
function postsOf({ tweets, media_ids = [], reply_settings, ...labels }: ThreadArguments) {
  return tweets.map((text, index) => ({
    text,
    mediaIds: media_ids[index] ?? [],
    options: optionsIn({ ...labels, ...(index === 0 && { reply_settings }) }),
  }));
}
