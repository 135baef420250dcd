/** X's public metrics of a post. */
export interface PostMetrics {
  readonly likes: number;
  readonly replies: number;
  readonly reposts: number;
  readonly bookmarks: number;
  readonly impressions: number;
}

/** Performance of an own post per impression. Replies weigh most, then reposts, then likes. */
export function performanceScore({ likes, replies, reposts, impressions }: PostMetrics): number {
  return ((3 * likes + 5 * replies + 4 * reposts) / Math.max(impressions, 1)) * 1_000;
}

/** Share of impressions that led to an interaction; null without impressions, when it is not known. */
export function engagementRate({
  likes,
  replies,
  reposts,
  bookmarks,
  impressions,
}: PostMetrics): number | null {
  return impressions === 0 ? null : (likes + reposts + replies + bookmarks) / impressions;
}

/** Whether anybody reacted to a reply. */
export function isEngaged({ likes, replies }: Pick<PostMetrics, "likes" | "replies">): boolean {
  return likes > 0 || replies > 0;
}

/** Rounded to hundredths, for display. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The rounded mean; null for no values, when it is not known. */
export function meanOf(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}
