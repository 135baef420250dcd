import { peopleLine } from "@toolpact/contract/internal/guards";
import { formatUsd, microsOf } from "@toolpact/contract/internal/money";
import { formatDuration, oneLine, quotedLines } from "@toolpact/contract/internal/text";
import {
  formatContext,
  type ItemView,
  mediaLines,
  noteLines,
  scheduleLines,
  shownArgs,
} from "../approval/consent.ts";
import type { QueuedMutation } from "../approval/item.ts";

/** Short enough for a lock screen: "Approve reply to @ana ($0.015)?" */
export function noticeTitle(
  item: Pick<QueuedMutation, "tool" | "args" | "context" | "estimatedUsd">,
): string {
  const price = item.estimatedUsd > 0 ? ` (${formatUsd(microsOf(item.estimatedUsd))})` : "";
  return oneLine(`Approve ${nounOf(item)}${subjectOf(item)}${price}?`);
}

/** Other tools keep their names. */
const NOUNS: Readonly<Record<string, string>> = {
  x_post_tweet: "post",
  x_reply_to_tweet: "reply",
  x_quote_tweet: "quote",
  x_post_thread: "thread",
  x_retweet: "repost",
  x_like_tweet: "like",
  x_delete_tweet: "deletion",
  x_follow_user: "follow",
};

function nounOf({ tool, args }: Pick<QueuedMutation, "tool" | "args">): string {
  const noun = NOUNS[tool] ?? tool;
  return Array.isArray(args.tweets) ? `${noun} of ${args.tweets.length}` : noun;
}

function subjectOf({ context }: Pick<QueuedMutation, "context">): string {
  if (context === undefined) return "";
  const { post, role, people } = context;
  if (post?.author !== undefined)
    return role === "answers" ? ` to ${post.author}` : ` of ${post.author}'s post`;
  const names = people.flatMap(({ username }) => (username === null ? [] : [username]));
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}

/** After the post it answers, to the last character. */
export function noticeText(item: QueuedMutation, { account, now, mediaNames }: ItemView): string {
  const { id, context, schedule, principal, expiresAt, reason } = item;
  const said = peopleLine(item);
  const facts = [
    `Item ${id}`,
    `as ${oneLine(context?.account ?? `account ${account}`)}`,
    ...(principal === undefined ? [] : [`requested by ${oneLine(principal)}`]),
    `expires in ${formatDuration(expiresAt - now)}`,
  ];
  const content = [
    ...shownArgs(item)
      // This post is shown.
      .filter(([, value]) => value !== context?.post?.id)
      .flatMap(([name, value]) => [...(name === "text" ? [] : [`${oneLine(name)}:`]), ...quotedLines(value)]),
    ...(schedule === undefined ? [] : scheduleLines(schedule)),
    ...mediaLines(item, mediaNames),
  ];
  const why = [`Why you are asked: ${oneLine(reason)}`, ...(said === undefined ? [] : [oneLine(said)])];
  return [[facts.join(" · ")], formatContext(item, now), content, noteLines(item), why]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}
