import type { Entities } from "./entities.ts";

export interface Post {
  readonly id: string;
  readonly authorId: string;
  readonly text: string;
  /** `text` is truncated. */
  readonly longText: string | undefined;
  /** Before X shortened its links. */
  readonly submitted: string;
  readonly at: number;
  /** As X writes it. */
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
  /** First to last, in one shared array. */
  readonly versions: string[];
  readonly source: string;
  impressions: number;
  /** Outside this world. */
  readonly otherLikes?: number | undefined;
  /** By the author of the conversation's first post. */
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

/** Lower case. */
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
