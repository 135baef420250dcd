/** Expanded objects are charged like any other: what each value of `expansions` can add for one resource. */
export const expansionPrices: Readonly<Record<string, ExpansionPrice>> = {
  ...priced("user_read", 1, [
    "author_id",
    "in_reply_to_user_id",
    "owner_id",
    "creator_id",
    "sender_id",
    "affiliation",
    "username",
    "liked_tweet_author_id",
  ]),
  // X sets no bound to these; ten is more than an ordinary post, space or conversation has.
  ...priced("user_read", 10, [
    "entities.mentions.username",
    "entities.note.mentions.username",
    "host_ids",
    "speaker_ids",
    "invited_user_ids",
    "participant_ids",
    "member_ids",
    "admin_ids",
  ]),
  // A post can answer one post and quote another.
  ...priced("user_read", 2, ["referenced_tweets.id.author_id"]),
  ...priced("posts_read", 2, ["referenced_posts", "referenced_tweets.id"]),
  ...priced("posts_read", 1, [
    "attachments.media_source_tweet",
    "pinned_post_id",
    "pinned_tweet_id",
    "most_recent_post_id",
    "most_recent_tweet_id",
    "liked_tweet_id",
  ]),
  // A post can be edited five times.
  ...priced("posts_read", 5, ["edit_history_post_ids", "edit_history_tweet_ids"]),
};

export interface ExpansionPrice {
  readonly priceClass: string;
  /** How many come along with one resource at most. */
  readonly each: number;
}

function priced(
  priceClass: string,
  each: number,
  names: readonly string[],
): Readonly<Record<string, ExpansionPrice>> {
  return Object.fromEntries(names.map((name) => [name, { priceClass, each }]));
}

/** Key of `includes` → the price class of what is in it; media, polls, places and topics cost nothing. */
export const includedPrices: Readonly<Record<string, string>> = {
  users: "user_read",
  tweets: "posts_read",
  posts: "posts_read",
  lists: "list_read",
  spaces: "space_read",
  communities: "community_read",
};
