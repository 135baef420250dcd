import { ok } from "@toolpact/contract";
import type { Action, CallInput, OperationId } from "@toolpact/x-api";
import { flagIn, type XObject } from "../shapes/x-object.ts";
import type { X } from "../x.ts";
import { askX, type FromX, idOfPerson, signedIn } from "./ask-x.ts";
import { refusedByX } from "./preflight.ts";

export type Engaging = Pick<X, "client" | "access" | "me">;

/** The operation, and the answer's member. */
const MARKS = {
  like: mark("likePost", "liked", "like"),
  unlike: takeBack("unlikePost", "liked", "tweet_id"),
  repost: mark("repostPost", "retweeted"),
  unrepost: takeBack("unrepostPost", "retweeted", "source_tweet_id"),
  bookmark: mark("createUsersBookmark", "bookmarked"),
  unbookmark: takeBack("deleteUsersBookmark", "bookmarked", "tweet_id"),
} satisfies Record<string, Mark<string>>;

type MarkName = keyof typeof MARKS;
type WordOf<Name extends MarkName> = (typeof MARKS)[Name]["word"];

export async function markPost<Name extends MarkName>(
  x: Engaging,
  name: Name,
  postId: string,
  signal: AbortSignal,
): Promise<FromX<Record<WordOf<Name>, boolean> & { tweet_id: string }>> {
  const { operation, word, place, action }: Mark<string> = MARKS[name];
  const refusal = action && refusedByX(action, x.access);
  if (refusal !== undefined) return refusal;
  const me = await signedIn(x, signal);
  if (!me.ok) return me;
  const answer = await askX<XObject>(x.client, operation, {
    ...place(me.value.id, postId),
    signal,
  });
  if (!answer.ok) return answer;
  const result = { [word]: flagIn(answer.value.data, word) ?? false, tweet_id: postId };
  // A computed key widens to any text.
  return ok(result as Record<WordOf<Name>, boolean> & { tweet_id: string });
}

export interface Following {
  following: boolean;
  /** A protected account must accept first. */
  pending?: boolean;
  target_user_id: string;
}

/** By id or @name. */
export async function setFollowing(
  x: Engaging,
  wanted: boolean,
  person: string,
  signal: AbortSignal,
): Promise<FromX<Following>> {
  const refusal = wanted ? refusedByX("follow", x.access) : undefined;
  if (refusal !== undefined) return refusal;
  const target = await idOfPerson(x, person, signal);
  if (!target.ok) return target;
  const me = await signedIn(x, signal);
  if (!me.ok) return me;
  const answer = await askX<XObject>(x.client, wanted ? "followUser" : "unfollowUser", {
    ...(wanted
      ? { path: { id: me.value.id }, body: { target_user_id: target.value } }
      : { path: { source_user_id: me.value.id, target_user_id: target.value } }),
    signal,
  });
  if (!answer.ok) return answer;
  const { data } = answer.value;
  return ok({
    following: flagIn(data, "following") ?? false,
    ...(flagIn(data, "pending_follow") === true && { pending: true }),
    target_user_id: target.value,
  });
}

interface Mark<Word extends string> {
  readonly operation: OperationId;
  readonly word: Word;
  readonly place: (me: string, postId: string) => CallInput;
  /** It may be forbidden by plan. */
  readonly action?: Action;
}

function mark<const Word extends string>(operation: OperationId, word: Word, action?: Action): Mark<Word> {
  return {
    operation,
    word,
    place: (me, postId) => ({ path: { id: me }, body: { tweet_id: postId } }),
    ...(action && { action }),
  };
}

function takeBack<const Word extends string>(
  operation: OperationId,
  word: Word,
  parameter: "tweet_id" | "source_tweet_id",
): Mark<Word> {
  return { operation, word, place: (me, postId) => ({ path: { id: me, [parameter]: postId } }) };
}
