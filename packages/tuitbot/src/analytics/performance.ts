/** What X counts of a post. */
export interface PostMetrics {
  readonly likes: number;
  readonly replies: number;
  readonly reposts: number;
  readonly bookmarks: number;
  readonly impressions: number;
}

/** How well a post of one's own did for those who saw it. Replies weigh most, then reposts, then likes. */
export function performanceScore({ likes, replies, reposts, impressions }: PostMetrics): number {
  return ((3 * likes + 5 * replies + 4 * reposts) / Math.max(impressions, 1)) * 1_000;
}

/** Share of those who saw a post and did something about it; 0 where nobody saw it. */
export function engagementRate({ likes, replies, reposts, bookmarks, impressions }: PostMetrics): number {
  return impressions === 0 ? 0 : (likes + reposts + replies + bookmarks) / impressions;
}

/** Whether anybody reacted to a reply. */
export function isEngaged({ likes, replies }: Pick<PostMetrics, "likes" | "replies">): boolean {
  return likes > 0 || replies > 0;
}

/** To hundredths, for showing. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The mean of a sum, shown; 0 of nothing. */
export function meanOf(sum: number, count: number): number {
  return count === 0 ? 0 : rounded(sum / count);
}
