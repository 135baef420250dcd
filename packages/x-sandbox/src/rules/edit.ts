import { hour } from "../clock.ts";
import type { Answer } from "../http/answer.ts";
import { forbidden } from "../http/problems.ts";
import { timeOfId } from "../snowflake.ts";
import { isPremium, type Person } from "../world/person.ts";
import { isLatestVersion, type Post } from "../world/post.ts";

export const maxEdits = 5;

/** An hour after the first version. */
export function editableUntil(post: Post): number {
  return timeOfId(post.versions[0] ?? post.id) + hour;
}

/** Premium, within an hour, five times, no polls, replies or community posts. */
export function refusedEdit(me: Person, previous: Post | undefined, now: number): Answer | undefined {
  if (previous === undefined || previous.authorId !== me.id)
    return forbidden("You can not edit a Tweet that is not yours.");
  if (!isPremium(me))
    return forbidden("You are not permitted to edit Tweets; editing needs a Premium account.");
  if (!isLatestVersion(previous)) return forbidden("You can only edit the latest version of a Tweet.");
  if (previous.versions.length > maxEdits) return forbidden("This Tweet has no edits remaining.");
  if (now >= editableUntil(previous)) return forbidden("This Tweet can no longer be edited.");
  if (!isEditable(previous)) return forbidden("This kind of Tweet can not be edited.");
  return undefined;
}

export function isEditable(post: Post): boolean {
  const answersSomebody = post.replyTo !== undefined && post.replyTo.userId !== post.authorId;
  return (
    post.poll === undefined &&
    post.communityId === undefined &&
    post.repostOf === undefined &&
    !answersSomebody
  );
}
