import type { Input } from "../http/input.ts";
import type { JsonDraft, JsonObject } from "../json.ts";

/** X renamed tweets to posts; old names are answered with old names. */
export type Vocabulary = "post" | "tweet";

/** By current names. */
export interface RequestedFields {
  readonly vocabulary: Vocabulary;
  readonly expansions: ReadonlySet<string>;
  readonly posts: readonly string[];
  readonly users: readonly string[];
  readonly media: readonly string[];
  readonly polls: readonly string[];
  readonly places: readonly string[];
  readonly lists: readonly string[];
  readonly spaces: readonly string[];
  readonly topics: readonly string[];
  readonly dmEvents: readonly string[];
}

export function requestedFieldsOf(input: Input): RequestedFields {
  const expansions = input.list("expansions");
  const userFields = input.list("user.fields");
  const older =
    input.has("tweet.fields") ||
    [...expansions, ...userFields, ...input.list("dm_event.fields")].some(isOlder);
  return {
    vocabulary: older ? "tweet" : "post",
    expansions: new Set(expansions.map(today)),
    posts: [...input.list("post.fields"), ...input.list("tweet.fields")].map(today),
    users: userFields.map(today),
    media: input.list("media.fields"),
    polls: input.list("poll.fields"),
    places: input.list("place.fields"),
    lists: input.list("list.fields"),
    spaces: input.list("space.fields"),
    topics: input.list("topic.fields"),
    dmEvents: input.list("dm_event.fields").map(today),
  };
}

function isOlder(name: string): boolean {
  return olderNames.has(name);
}

function today(name: string): string {
  return olderNames.get(name) ?? name;
}

const olderNames: ReadonlyMap<string, string> = new Map([
  ["edit_history_tweet_ids", "edit_history_post_ids"],
  ["most_recent_tweet_id", "most_recent_post_id"],
  ["note_tweet", "note_post"],
  ["pinned_tweet_id", "pinned_post_id"],
  ["referenced_tweets", "referenced_posts"],
  ["referenced_tweets.id", "referenced_posts"],
  ["referenced_tweets.id.attachments.media_keys", "referenced_posts.attachments.media_keys"],
  ["referenced_tweets.id.author_id", "referenced_posts.author_id"],
]);

export const words: Readonly<Record<Vocabulary, Words>> = {
  post: {
    editHistory: "edit_history_post_ids",
    mostRecent: "most_recent_post_id",
    note: "note_post",
    pinned: "pinned_post_id",
    postCount: "post_count",
    posts: "posts",
    referenced: "referenced_posts",
    repostCount: "repost_count",
  },
  tweet: {
    editHistory: "edit_history_tweet_ids",
    mostRecent: "most_recent_tweet_id",
    note: "note_tweet",
    pinned: "pinned_tweet_id",
    postCount: "tweet_count",
    posts: "tweets",
    referenced: "referenced_tweets",
    repostCount: "retweet_count",
  },
};

interface Words {
  readonly editHistory: string;
  readonly mostRecent: string;
  readonly note: string;
  readonly pinned: string;
  readonly postCount: string;
  readonly posts: string;
  readonly referenced: string;
  readonly repostCount: string;
}

export function withFields(
  defaults: JsonObject,
  requested: readonly string[],
  others: JsonObject,
): JsonObject {
  const out: JsonDraft = { ...defaults };
  for (const field of requested)
    if (Object.hasOwn(others, field) && others[field] !== undefined) out[field] = others[field];
  return out;
}
