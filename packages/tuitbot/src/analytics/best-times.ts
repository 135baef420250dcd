import { meanOf } from "./performance.ts";

/** Sums over the posts of one hour of the week. */
export interface HourSum {
  /** 0 is Monday. */
  readonly weekday: number;
  readonly hour: number;
  readonly posts: number;
  readonly score_sum: number;
}

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

export interface HourOfWeek {
  weekday: (typeof WEEKDAYS)[number];
  hour: number;
  posts: number;
  avg_performance: number;
  /** 0 to 100: how reliable the average is. */
  confidence: number;
}

/** The best hours; of equal ones the most reliable first. */
export function bestTimes(sums: readonly HourSum[], most = 10): HourOfWeek[] {
  return sums
    .filter(({ posts }) => posts > 0)
    .map(view)
    .sort((a, b) => b.avg_performance - a.avg_performance || b.confidence - a.confidence)
    .slice(0, most);
}

/** All 168 hours of a week, from Monday. */
export function heatmap(sums: readonly HourSum[]): HourOfWeek[] {
  const known = new Map(sums.map((sum) => [sum.weekday * 24 + sum.hour, sum]));
  return Array.from({ length: 7 * 24 }, (_, index) =>
    view(known.get(index) ?? { weekday: Math.floor(index / 24), hour: index % 24, posts: 0, score_sum: 0 }),
  );
}

export function confidenceOf(posts: number): number {
  if (posts >= 5) return 90 + Math.min(posts - 5, 10);
  return posts >= 2 ? 50 + 15 * (posts - 2) : 20 * posts;
}

function view({ weekday, hour, posts, score_sum }: HourSum): HourOfWeek {
  return {
    weekday: WEEKDAYS[weekday] ?? "Mon",
    hour,
    posts,
    avg_performance: meanOf(score_sum, posts),
    confidence: confidenceOf(posts),
  };
}
