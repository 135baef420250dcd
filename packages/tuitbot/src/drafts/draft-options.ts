import type { JsonObject } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import { optionsIn, postOptions } from "../x/post-options.ts";
import { objectIn } from "../x/shapes/x-object.ts";
import type { PostRequest } from "../x/toolkit/write.ts";

const { poll_options, poll_minutes, reply_settings, made_with_ai, paid_partnership } = postOptions;
const aPost = z
  .string()
  .regex(/^\d{1,19}$/)
  .optional();

/** Besides texts and files. */
export const optionsShape = z.strictObject({
  poll_options,
  poll_minutes,
  reply_settings,
  made_with_ai,
  paid_partnership,
  in_reply_to_id: aPost,
  quoted_tweet_id: aPost,
});

export type DraftOptions = Readonly<z.output<typeof optionsShape>>;

/** With the options as arguments. */
export function postingTool(
  posts: number,
  options: DraftOptions = {},
): readonly [tool: string, args: JsonObject] {
  const { reply_settings, made_with_ai, paid_partnership, in_reply_to_id, quoted_tweet_id, ...poll } =
    options;
  const labels = { made_with_ai, paid_partnership };
  if (posts > 1) return ["x_post_thread", given({ reply_settings, ...labels })];
  if (in_reply_to_id !== undefined) return ["x_reply_to_tweet", given({ in_reply_to_id, ...labels })];
  return quoted_tweet_id === undefined
    ? ["x_post_tweet", given({ ...poll, reply_settings, ...labels })]
    : ["x_quote_tweet", given({ quoted_tweet_id, reply_settings, ...labels })];
}

export function optionsOf(args: JsonObject): DraftOptions {
  const names = Object.keys(optionsShape.shape);
  return optionsShape.parse(
    Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name))),
  );
}

/** To check it first. */
export function requestOf(options: DraftOptions): Pick<PostRequest, "replyTo" | "quoteOf" | "options"> {
  return {
    replyTo: options.in_reply_to_id,
    quoteOf: options.quoted_tweet_id,
    options: optionsIn(options),
  };
}

/** X allows these for single posts only. */
export function notForThreads(posts: number, options: DraftOptions) {
  const { poll_options, in_reply_to_id, quoted_tweet_id } = options;
  const isSingle = [poll_options, in_reply_to_id, quoted_tweet_id].some((one) => one !== undefined);
  return posts > 1 && isSingle
    ? errors.fail("invalid_input", "A poll, a reply and a quote are single posts, not threads.", {
        suggestedFix: "Leave one post, or remove the poll, reply or quote.",
        fixBy: "agent",
      })
    : undefined;
}

/** Null for none. */
export function optionsJson(options: DraftOptions | undefined): string | null {
  const set = given(options ?? {});
  return Object.keys(set).length === 0 ? null : JSON.stringify(set);
}

export function optionsFrom(json: string | null): DraftOptions {
  return json === null ? {} : optionsShape.parse(objectIn(JSON.parse(json)));
}

function given(options: Readonly<Record<string, unknown>>): JsonObject {
  const set = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  // Strings, numbers, booleans and lists of strings.
  return Object.fromEntries(set) as JsonObject;
}
