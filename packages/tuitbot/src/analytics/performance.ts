/** X's public metrics of a post. */
export interface PostMetrics {
  readonly likes: number;
  readonly replies: number;
  readonly reposts: number;
  readonly bookmarks: number;
  readonly impressions: number;
}

/** Per impression. Replies weigh most, then reposts, then likes. */
export function performanceScore({ likes, replies, reposts, impressions }: PostMetrics): number {
  return ((3 * likes + 5 * replies + 4 * reposts) / Math.max(impressions, 1)) * 1_000;
}

/** Interactions per impression; null without impressions. */
export function engagementRate({
  likes,
  replies,
  reposts,
  bookmarks,
  impressions,
}: PostMetrics): number | null {
  return impressions === 0 ? null : (likes + reposts + replies + bookmarks) / impressions;
}

export function isEngaged({ likes, replies }: Pick<PostMetrics, "likes" | "replies">): boolean {
  return likes > 0 || replies > 0;
}

/** To hundredths, for display. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Rounded; null for no values. */
export function meanOf(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}
