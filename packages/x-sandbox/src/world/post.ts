import type { Entities } from "./entities.ts";

export interface Post {
  readonly id: string;
  readonly authorId: string;
  readonly text: string;
  /** The whole text of a long post, whose `text` is cut short. */
  readonly longText: string | undefined;
  /** The text as it was sent, before X put its own links into it. */
  readonly submitted: string;
  readonly at: number;
  /** The same instant as X writes it; kept because every reader asks for it. */
  readonly createdAt: string;
  readonly lang: string;
  readonly entities: Entities;
  readonly conversationId: string;
  readonly replyTo: { readonly postId: string; readonly userId: string } | undefined;
  readonly quoteOf: string | undefined;
  readonly repostOf: string | undefined;
  readonly replySettings: ReplySettings;
  readonly mediaIds: readonly string[];
  readonly poll: Poll | undefined;
  readonly placeId: string | undefined;
  readonly communityId: string | undefined;
  readonly paidPartnership: boolean;
  readonly madeWithAi: boolean;
  /** Ids of all versions of this post, first to last; the versions share one array. */
  readonly versions: string[];
  readonly source: string;
  impressions: number;
  /** Likes of people who are not in this world. */
  readonly otherLikes?: number | undefined;
  /** The conversation's first author hid this reply. */
  hidden: boolean;
}

export type ReplySettings = "everyone" | "following" | "mentionedUsers" | "subscribers" | "verified";

export interface Poll {
  readonly id: string;
  readonly options: readonly { readonly label: string; readonly votes: number }[];
  readonly minutes: number;
  readonly endsAt: number;
}

export function isLatestVersion(post: Post): boolean {
  return post.versions.at(-1) === post.id;
}

/** The words, tags and mentions a post can be found by, in lower case. */
export function searchTerms(post: Post): Set<string> {
  const terms = new Set(wordsOf(post.submitted));
  for (const { tag } of post.entities.hashtags) terms.add(`#${tag.toLowerCase()}`);
  for (const { tag } of post.entities.cashtags) terms.add(`$${tag.toLowerCase()}`);
  for (const { username } of post.entities.mentions) terms.add(`@${username.toLowerCase()}`);
  return terms;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
