import type { CallArgs, XAnswer } from "@toolpact/x-api";
import { type People, peopleOf } from "../x/shapes/people.ts";
import { referenced, wholeText } from "../x/shapes/post.ts";
import { countIn, listIn, numberIn, objectIn, textIn, type XObject } from "../x/shapes/x-object.ts";
import { cleanText } from "../x/untrusted.ts";

export interface FoundPost {
  readonly id: string;
  readonly authorId: string;
  readonly authorUsername: string;
  readonly authorFollowers: number;
  readonly text: string;
  readonly postedAt: number | undefined;
  readonly likes: number;
  readonly reposts: number;
  readonly replies: number;
  readonly impressions: number | undefined;
  readonly hasMedia: boolean;
  readonly isQuote: boolean;
  /** The id of the post that it answers or quotes. */
  readonly aboutId: string | undefined;
  /** As X names it, such as `everyone`; undefined if X did not return it. */
  readonly replySettings: string | undefined;
  /** It mentions this account, or quotes a post of it. */
  readonly isSummons: boolean;
}

/** For an author X did not return. */
export const UNKNOWN_AUTHOR = "unknown";

export const FOUND_FIELDS: NonNullable<CallArgs["query"]> = {
  "tweet.fields": [
    "author_id",
    "created_at",
    "public_metrics",
    "referenced_tweets",
    "entities",
    "attachments",
    "note_tweet",
    "reply_settings",
  ],
  expansions: ["author_id"],
  "user.fields": ["username", "public_metrics"],
};

/** Without reposts and own posts. */
export function foundPosts(
  { data, includes }: XAnswer<readonly XObject[]>,
  me: string,
): readonly FoundPost[] {
  const people = peopleOf(includes);
  const own = new Set(
    (includes.tweets ?? [])
      .map((one) => objectIn(one))
      .flatMap((one) => (one.author_id === me ? [one.id] : [])),
  );
  return data
    .filter((raw) => textIn(raw, "id") !== undefined && referenced(raw, "retweeted") === undefined)
    .map((raw) => foundPost(raw, people, { me, isOwn: (id) => own.has(id) }))
    .filter(({ authorId }) => authorId !== me);
}

interface Account {
  readonly me: string;
  readonly isOwn: (postId: string) => boolean;
}

/** `isSummons` needs the account. */
export function foundPost(
  raw: XObject,
  people: People,
  { me, isOwn }: Account = { me: "", isOwn: () => false },
): FoundPost {
  const authorId = textIn(raw, "author_id") ?? "";
  const author = people.get(authorId) ?? {};
  const metrics = objectIn(raw, "public_metrics");
  const quoted = referenced(raw, "quoted");
  const mentions = listIn(objectIn(raw, "entities"), "mentions").map((mention) => objectIn(mention));
  const postedAt = Date.parse(textIn(raw, "created_at") ?? "");
  return {
    id: textIn(raw, "id") ?? "",
    authorId,
    authorUsername: textIn(author, "username") ?? UNKNOWN_AUTHOR,
    authorFollowers: numberIn(objectIn(author, "public_metrics"), "followers_count") ?? 0,
    text: cleanText(wholeText(raw)),
    postedAt: Number.isNaN(postedAt) ? undefined : postedAt,
    likes: numberIn(metrics, "like_count") ?? 0,
    reposts: countIn(metrics, "reposts") ?? 0,
    replies: numberIn(metrics, "reply_count") ?? 0,
    impressions: numberIn(metrics, "impression_count"),
    hasMedia: listIn(objectIn(raw, "attachments"), "media_keys").length > 0,
    isQuote: quoted !== undefined,
    aboutId: referenced(raw, "replied_to") ?? quoted,
    replySettings: textIn(raw, "reply_settings"),
    isSummons: mentions.some(({ id }) => id === me) || (quoted !== undefined && isOwn(quoted)),
  };
}
