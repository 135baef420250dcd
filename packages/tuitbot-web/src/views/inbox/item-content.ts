import type { PendingItem } from "tuitbot/src/web/api.ts";
import type { DraftOptions } from "../../api/shapes.ts";
import { toolName } from "../../parts/tool-name.ts";
import { words } from "../../text/words.ts";

/** A short title of an item. */
export function titleOf(item: PendingItem): string {
  const { tool, context, posts, schedule } = item;
  if (schedule?.series !== undefined) return words.inbox.seriesOf(schedule.series.posts.length);
  if (tool === "x_post_thread") return words.inbox.threadOf(posts.length);
  const title = toolName(tool);
  const author = context?.post?.author;
  const [person] = context?.people ?? [];
  const name = person?.username ?? person?.name;
  if (context?.role === "answers" && author !== undefined) return words.inbox.to(title, author);
  if (author !== undefined) return words.inbox.of(title, author);
  return name === undefined || name === null ? title : words.inbox.to(title, name);
}

/** The texts that an item publishes. */
export function textsOf({ posts, args }: Pick<PendingItem, "posts" | "args">): readonly string[] {
  return posts.length > 0 ? posts.map(({ text }) => text) : argumentTexts(args);
}

/** The texts among the arguments of a call. */
export function argumentTexts({ text, tweets }: PendingItem["args"]): readonly string[] {
  if (typeof text === "string") return [text];
  return Array.isArray(tweets) ? tweets.filter((one) => typeof one === "string") : [];
}

/** The poll of an item, who may reply to it, and its labels. */
export function optionsOf({ args }: Pick<PendingItem, "args">): DraftOptions {
  // The server has parsed them as exactly these.
  return args as DraftOptions;
}

/** The first words of an item, or what it acts on. */
export function snippetOf(item: PendingItem): string {
  const [text] = textsOf(item);
  if (text !== undefined) return text.slice(0, 240);
  const about = item.context?.post?.text;
  if (about !== undefined) return about.slice(0, 240);
  return otherArguments(item)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  "text",
  "tweets",
  "in_reply_to_id",
  "quoted_tweet_id",
  "accept_url_price",
  "poll_options",
  "poll_minutes",
  "reply_settings",
  "made_with_ai",
  "paid_partnership",
  // Used by tuitbot only, and not published.
  "idempotency_key",
]);

/** Arguments that an approver reads, and that no other part of the page shows. */
export function otherArguments(item: ArgumentsOf): readonly (readonly [string, string])[] {
  return plainArguments(item).filter(([name]) => !isId(name, item));
}

/** Ids of posts and people that are shown as such. They are details. */
export function idArguments(item: ArgumentsOf): readonly (readonly [string, string])[] {
  return plainArguments(item).filter(([name]) => isId(name, item));
}

type ArgumentsOf = Pick<PendingItem, "args" | "files" | "context">;

function isId(name: string, { context }: ArgumentsOf): boolean {
  const isShown = context?.post != null || (context?.people.length ?? 0) > 0;
  return isShown && /_ids?$/.test(name);
}

function plainArguments({ args, files }: ArgumentsOf): readonly (readonly [string, string])[] {
  return Object.entries(args)
    .filter(([name]) => !SHOWN_OTHERWISE.has(name) && !(name === "media_ids" && files.length > 0))
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Describes how to undo it after publication. */
export function undoOf(tool: string): string {
  const { undos } = words.inbox;
  switch (tool) {
    case "x_post_tweet":
    case "x_reply_to_tweet":
    case "x_quote_tweet":
    case "x_post_thread":
      return undos.delete;
    case "x_like_tweet":
      return undos.unlike;
    case "x_follow_user":
      return undos.unfollow;
    case "x_retweet":
      return undos.unrepost;
    default:
      return undos.never;
  }
}

/** The arguments with other texts, or undefined where the item has no texts. */
export function argumentsWith(
  { args }: Pick<PendingItem, "args">,
  texts: readonly string[],
): PendingItem["args"] | undefined {
  if (typeof args.text === "string") return { ...args, text: texts[0] ?? "" };
  return Array.isArray(args.tweets) ? { ...args, tweets: [...texts] } : undefined;
}
