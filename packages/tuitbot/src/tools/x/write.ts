import { systemClock } from "@toolpact/contract";
import * as z from "zod";
import { xErrors, xThreadErrors, xWriteErrors } from "../../errors.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { mediaId } from "../../x/ids.ts";
import { postThread } from "../../x/toolkit/thread.ts";
import { deletePost, sendPost } from "../../x/toolkit/write.ts";
import { aPost } from "../params.ts";
import { defineTool } from "../product.ts";

const text = z.string().describe("Up to 280: a link counts 23, an emoji 2");
const media_ids = z.array(mediaId).max(4).optional().describe("From x_upload_media");

const posted = z.object({ id: z.string(), text: z.string(), url: z.string() });

const writing = {
  category: "write",
  effect: "create",
  openWorld: true,
  profiles: writeUpAndUtilityWrite,
  needs: ["x"],
} as const;

export const postTweet = defineTool({
  ...writing,
  name: "x_post_tweet",
  title: "Post",
  describe: "Publish a post. A link in it costs 13 times as much. Undo with x_delete_tweet.",
  errors: xWriteErrors,
  input: z.strictObject({ text, media_ids }),
  output: posted,
  run: ({ text, media_ids }, { x, signal }) => sendPost(x, { text, mediaIds: media_ids }, signal),
});

export const replyToTweet = defineTool({
  ...writing,
  name: "x_reply_to_tweet",
  title: "Reply",
  describe:
    "Reply to a post. Without an enterprise plan X allows it only where the author mentioned or quoted you: see x_get_user_mentions.",
  errors: xWriteErrors,
  input: z.strictObject({ text, in_reply_to_id: aPost, media_ids }),
  output: posted,
  run: ({ text, in_reply_to_id, media_ids }, { x, signal }) =>
    sendPost(x, { text, mediaIds: media_ids, replyTo: in_reply_to_id }, signal),
});

export const quoteTweet = defineTool({
  ...writing,
  name: "x_quote_tweet",
  title: "Quote",
  describe: "Post about another post. X allows it on enterprise plans only.",
  errors: xWriteErrors,
  input: z.strictObject({
    text,
    quoted_tweet_id: aPost,
    media_ids: z.array(mediaId).max(4).optional().describe("X takes no media beside a quote"),
  }),
  output: posted,
  run: ({ text, quoted_tweet_id, media_ids }, { x, signal }) =>
    sendPost(x, { text, mediaIds: media_ids, quoteOf: quoted_tweet_id }, signal),
});

export const deleteTweet = defineTool({
  ...writing,
  name: "x_delete_tweet",
  title: "Delete a post",
  describe: "Delete a post of your own, for good.",
  effect: "delete",
  errors: xErrors,
  input: z.strictObject({ tweet_id: aPost }),
  output: z.object({ deleted: z.boolean(), tweet_id: z.string() }),
  run: ({ tweet_id }, { x, signal }) => deletePost(x, tweet_id, signal),
});

const THREAD_DEADLINE_MS = 180_000;
/** Kept to tell what is out. */
const TELLING_MS = 20_000;

export const postThreadTool = defineTool({
  ...writing,
  name: "x_post_thread",
  title: "Post a thread",
  describe:
    "Publish posts that answer each other, all checked first. After thread_partial_failure call again with the same tweets and error.details.resume.",
  deadlineMs: THREAD_DEADLINE_MS,
  errors: xThreadErrors,
  input: z.strictObject({
    tweets: z.array(z.string()).min(1).max(100).describe("The texts in order"),
    media_ids: z.array(z.array(mediaId).max(4)).optional().describe("Media of each post, in the same order"),
    resume: z.string().optional().describe("Handle of a thread that was cut"),
  }),
  output: z.object({
    thread_tweet_ids: z.array(z.string()),
    tweet_count: z.number(),
    root_tweet_id: z.string(),
  }),
  run: ({ tweets, media_ids = [], resume }, { x, signal, progress }) =>
    postThread(
      x,
      tweets.map((text, index) => ({ text, mediaIds: media_ids[index] ?? [] })),
      resume,
      { signal, progress, clock: systemClock, stopAfterMs: THREAD_DEADLINE_MS - TELLING_MS },
    ),
});
