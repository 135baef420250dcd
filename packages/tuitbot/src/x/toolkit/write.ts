import { ok } from "@toolpact/contract";
import { errors } from "../../errors.ts";
import { flagIn, textIn, type XObject } from "../shapes/x-object.ts";
import type { X } from "../x.ts";
import { forPlan, type XErrorCode } from "../x-errors.ts";
import { askX, type FromX } from "./ask-x.ts";
import { refusedByX, refusedText } from "./preflight.ts";

export type Writing = Pick<X, "client" | "access">;

export interface PostRequest {
  readonly text: string;
  readonly mediaIds?: readonly string[] | undefined;
  readonly replyTo?: string | undefined;
  readonly quoteOf?: string | undefined;
  /** In its pictures. */
  readonly taggedIds?: readonly string[] | undefined;
  /** As a new version. */
  readonly edits?: string | undefined;
  readonly options?: PostOptions | undefined;
}

/** By X's names. */
export interface PostOptions {
  readonly poll?: { readonly options: readonly string[]; readonly duration_minutes: number };
  readonly reply_settings?: "following" | "mentionedUsers" | "subscribers" | "verified";
  readonly community_id?: string;
  readonly made_with_ai?: true;
  readonly paid_partnership?: true;
}

export interface Posted {
  id: string;
  text: string;
  url: string;
}

export type WriteCode = XErrorCode | "tweet_too_long";

/** Once, unless X is known to reject it. */
export async function sendPost(
  { client, access }: Writing,
  post: PostRequest,
  signal: AbortSignal,
): Promise<FromX<Posted, WriteCode>> {
  const refusal = refusedPost(post, access);
  if (refusal !== undefined) return refusal;
  const { text, mediaIds = [], replyTo, quoteOf, edits, options } = post;
  const sent = await askX<XObject>(client, "createPosts", {
    body: {
      ...(text !== "" && { text }),
      ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
      ...(replyTo !== undefined && { reply: { in_reply_to_tweet_id: replyTo } }),
      ...(quoteOf !== undefined && { quote_tweet_id: quoteOf }),
      ...(edits !== undefined && { edit_options: { previous_post_id: edits } }),
      ...options,
    },
    signal,
  });
  if (!sent.ok) return forPlan(sent, access.plan);
  const id = textIn(sent.value.data, "id") ?? "";
  return ok({ id, text: textIn(sent.value.data, "text") ?? text, url: `https://x.com/i/web/status/${id}` });
}

/** As far as known without asking. */
export function refusedPost(
  { text, mediaIds = [], replyTo, quoteOf, edits, options }: PostRequest,
  access: X["access"],
) {
  const hasMedia = mediaIds.length > 0;
  if (options?.poll !== undefined && hasMedia) {
    return errors.fail("invalid_input", "X takes a poll or media in one post, not both.", {
      suggestedFix: "Leave `media_ids` or `poll_options` out.",
      fixBy: "agent",
    });
  }
  if (quoteOf !== undefined && hasMedia) {
    return errors.fail("invalid_input", "X takes a quote or media in one post, not both.", {
      suggestedFix: "Leave `media_ids` out, or put the link to the post into the text and use x_post_tweet.",
      fixBy: "agent",
    });
  }
  return (
    (quoteOf === undefined ? undefined : refusedByX("quote", access)) ??
    (edits === undefined ? undefined : refusedByX("edit", access)) ??
    refusedText(text, { access, isReply: replyTo !== undefined, hasMedia })
  );
}

export async function deletePost(
  { client }: Pick<Writing, "client">,
  id: string,
  signal: AbortSignal,
): Promise<FromX<{ deleted: boolean; tweet_id: string }>> {
  const answer = await askX<XObject>(client, "deletePosts", { path: { id }, signal });
  if (!answer.ok) return answer;
  return ok({ deleted: flagIn(answer.value.data, "deleted") ?? false, tweet_id: id });
}
