import * as z from "zod";
import { mediaId, person, postId } from "../x/ids.ts";
import { MAX_NOTE, MAX_POST, MAX_WORD, NOTE_DESCRIPTION } from "../x/text-limits.ts";

// Equal words in every tool.

export const aPost = postId.describe("Post id or URL");

export const aPerson = person.describe("User id, @name or `me`");

export const somebodyElse = person.describe("User id or @name");

/** For a single possible value: accepted but not listed. */
export const HIDDEN = { isHidden: true } as const;

/** X requires the signed-in account here. */
export const myself = person.default("me").meta(HIDDEN);

export const meByDefault = person.default("me").describe("User id or @name; you by default");

export const since_id = postId.optional().describe("Only posts newer than this id");

export const pagination_token = z.string().max(MAX_WORD).optional().describe("next_token of the page before");

export const note = z.string().max(MAX_NOTE).optional().describe(NOTE_DESCRIPTION);

/** For publishing and preview. */
export const postsOfThread = {
  tweets: z
    .array(z.string().max(MAX_POST))
    .min(1)
    .max(100)
    .describe("The texts in order, each up to 280 weighted characters"),
  media_ids: z
    .array(z.array(mediaId).max(4))
    .max(100)
    .optional()
    .describe("Per post, in the same order: up to 4 ids from x_upload_media"),
};
