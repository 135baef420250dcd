import { meanOf } from "./performance.ts";

/** Sums for one hour of the week. */
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
  avg_performance: number | null;
}

/** The hours of the week with enough posts, the best first. */
export function bestTimes(sums: readonly HourSum[], most = 10): HourOfWeek[] {
  return sums
    .filter(({ posts }) => posts >= MIN_SAMPLES)
    .map(view)
    .sort((a, b) => (b.avg_performance ?? 0) - (a.avg_performance ?? 0) || b.posts - a.posts)
    .slice(0, most);
}

/** Fewer measured posts make no hour the best. */
export const MIN_SAMPLES = 5;

export interface HourOfDay {
  hour: number;
  posts: number;
  avg_performance: number;
}

/** Hours above the average with enough posts, best first. */
export function bestHours(sums: readonly HourSum[], most = 3): HourOfDay[] {
  const hours = new Map<number, { posts: number; sum: number }>();
  for (const { hour, posts, score_sum } of sums) {
    const known = hours.get(hour) ?? { posts: 0, sum: 0 };
    hours.set(hour, { posts: known.posts + posts, sum: known.sum + score_sum });
  }
  const all = [...hours.values()].reduce(
    (total, { posts, sum }) => ({ posts: total.posts + posts, sum: total.sum + sum }),
    { posts: 0, sum: 0 },
  );
  const mean = meanOf(all.sum, all.posts) ?? 0;
  return [...hours]
    .flatMap(([hour, { posts, sum }]) => {
      const average = meanOf(sum, posts);
      return posts < MIN_SAMPLES || average === null || average <= mean
        ? []
        : [{ hour, posts, avg_performance: average }];
    })
    .sort((a, b) => b.avg_performance - a.avg_performance)
    .slice(0, most);
}

/** From Monday. */
export function heatmap(sums: readonly HourSum[]): HourOfWeek[] {
  return sums
    .filter(({ posts }) => posts > 0)
    .toSorted((a, b) => a.weekday - b.weekday || a.hour - b.hour)
    .map(view);
}

function view({ weekday, hour, posts, score_sum }: HourSum): HourOfWeek {
  return {
    weekday: WEEKDAYS[weekday] ?? "Mon",
    hour,
    posts,
    avg_performance: meanOf(score_sum, posts),
  };
}
