import type { Param } from "./types.ts";

/** Under its current and its former name. */
export function withLegacyNames(param: Param): Param[] {
  const allowed = param.items?.enum;
  if (allowed === undefined) return [param];
  const current = {
    ...param,
    items: { ...param.items, type: "string" as const, enum: withLegacyValues(param.name, allowed) },
  };
  const older = lookUp(legacyNames.params, param.name);
  if (older === undefined) return [current];
  const legacyEnum = [...new Set([...allowed, ...(lookUp(legacyNames.values, older) ?? [])])].sort();
  return [current, { ...current, name: older, legacy: true, items: { ...current.items, enum: legacyEnum } }];
}

function withLegacyValues(name: string, allowed: readonly (string | number)[]): (string | number)[] {
  const older =
    name === "expansions"
      ? allowed.flatMap((value) => lookUp(legacyNames.expansions, String(value)) ?? [])
      : (lookUp(legacyNames.values, name) ?? []);
  return [...new Set([...allowed, ...older])].sort();
}

function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Renamed by X and still accepted, as its own SDK sends them. */
const legacyNames = {
  /** By query parameter. */
  params: { "post.fields": "tweet.fields" },
  /** In addition to the specification's values. */
  values: {
    "tweet.fields": [
      "author_id",
      "edit_history_tweet_ids",
      "in_reply_to_user_id",
      "note_tweet",
      "referenced_tweets",
    ],
    "post.fields": ["author_id", "in_reply_to_user_id"],
    "user.fields": ["affiliation", "most_recent_tweet_id", "pinned_tweet_id"],
    "list.fields": ["owner_id"],
    "space.fields": ["creator_id", "host_ids", "invited_user_ids", "speaker_ids", "topic_ids"],
    "dm_event.fields": ["participant_ids", "referenced_tweets", "sender_id"],
  },
  /** By value of `expansions`. */
  expansions: {
    edit_history_post_ids: ["edit_history_tweet_ids"],
    referenced_posts: [
      "referenced_tweets.id",
      "referenced_tweets.id.attachments.media_keys",
      "referenced_tweets.id.author_id",
    ],
    pinned_post_id: ["pinned_tweet_id"],
    most_recent_post_id: ["most_recent_tweet_id"],
  },
} as const satisfies {
  params: Readonly<Record<string, string>>;
  values: Readonly<Record<string, readonly string[]>>;
  expansions: Readonly<Record<string, readonly string[]>>;
};
