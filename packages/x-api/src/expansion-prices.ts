/** Expanded objects are charged like any other: what each value of `expansions` can add for one resource. */
export const expansionPrices: Readonly<Record<string, ExpansionPrice>> = {
  author_id: { priceClass: "user_read", each: 1 },
  in_reply_to_user_id: { priceClass: "user_read", each: 1 },
  owner_id: { priceClass: "user_read", each: 1 },
  creator_id: { priceClass: "user_read", each: 1 },
  sender_id: { priceClass: "user_read", each: 1 },
  affiliation: { priceClass: "user_read", each: 1 },
  username: { priceClass: "user_read", each: 1 },
  liked_tweet_author_id: { priceClass: "user_read", each: 1 },
  // X sets no bound to these; ten is more than an ordinary post, space or conversation has.
  "entities.mentions.username": { priceClass: "user_read", each: 10 },
  "entities.note.mentions.username": { priceClass: "user_read", each: 10 },
  host_ids: { priceClass: "user_read", each: 10 },
  speaker_ids: { priceClass: "user_read", each: 10 },
  invited_user_ids: { priceClass: "user_read", each: 10 },
  participant_ids: { priceClass: "user_read", each: 10 },
  member_ids: { priceClass: "user_read", each: 10 },
  admin_ids: { priceClass: "user_read", each: 10 },
  // A post can answer one post and quote another.
  referenced_posts: { priceClass: "posts_read", each: 2 },
  "referenced_tweets.id": { priceClass: "posts_read", each: 2 },
  "referenced_tweets.id.author_id": { priceClass: "user_read", each: 2 },
  "attachments.media_source_tweet": { priceClass: "posts_read", each: 1 },
  // A post can be edited five times.
  edit_history_post_ids: { priceClass: "posts_read", each: 5 },
  edit_history_tweet_ids: { priceClass: "posts_read", each: 5 },
  pinned_post_id: { priceClass: "posts_read", each: 1 },
  pinned_tweet_id: { priceClass: "posts_read", each: 1 },
  most_recent_post_id: { priceClass: "posts_read", each: 1 },
  most_recent_tweet_id: { priceClass: "posts_read", each: 1 },
  liked_tweet_id: { priceClass: "posts_read", each: 1 },
};

export interface ExpansionPrice {
  readonly priceClass: string;
  readonly each: number;
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
