import { DAY_MS } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import { DAYS, localTime } from "../config/schedule-window.ts";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";

/** The posts of the last days, the newest first, at most `limit`. */
export async function publishedPosts(
  db: Kysely<Database>,
  account: string,
  { since, limit, timezone }: { readonly since: number; readonly limit: number; readonly timezone: string },
): Promise<readonly PublishedPost[]> {
  const rows = await db
    .selectFrom("publications")
    .leftJoin("measurements", (join) =>
      join
        .onRef("measurements.account", "=", "publications.account")
        .onRef("measurements.post_id", "=", "publications.post_id"),
    )
    .select(["publications.post_id", "kind", "text", "topic", "format", "published_at"])
    .select(["measurements.at", "impressions", "likes", "reposts", "replies", "bookmarks", "score"])
    .where("publications.account", "=", account)
    .where("published_at", ">=", since)
    .orderBy("published_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ post_id, published_at, at, kind, text, topic, format, ...figures }) => {
    const local = localTime(published_at, timezone);
    return {
      id: post_id,
      kind,
      text,
      topic,
      format,
      published_at: new Date(published_at).toISOString(),
      weekday: DAYS.indexOf(local.day),
      hour: local.hour,
      figures:
        at === null
          ? null
          : {
              measured_at: new Date(at).toISOString(),
              impressions: figures.impressions ?? 0,
              likes: figures.likes ?? 0,
              reposts: figures.reposts ?? 0,
              replies: figures.replies ?? 0,
              bookmarks: figures.bookmarks ?? 0,
              score: figures.score ?? 0,
            },
    };
  });
}

export function sumsOf(posts: readonly PublishedPost[]): PostSums {
  const measured = posts.flatMap(({ figures }) => figures ?? []);
  const sum = (of: (figures: NonNullable<PublishedPost["figures"]>) => number) =>
    measured.length === 0 ? null : measured.reduce((total, figures) => total + of(figures), 0);
  return {
    posts: posts.length,
    measured: measured.length,
    impressions: sum(({ impressions }) => impressions),
    engagement: sum(({ likes, reposts, replies, bookmarks }) => likes + reposts + replies + bookmarks),
  };
}

/** The same for each day of UTC on which the posts went out, without gaps, the oldest first. */
export function sumsPerDay(
  posts: readonly PublishedPost[],
  days: number,
  now: number,
): readonly (PostSums & { readonly date: string })[] {
  const all = Array.from({ length: days }, (_, index) => dayOf(now - (days - 1 - index) * DAY_MS));
  const sums = all.map((date) => ({
    date,
    ...sumsOf(posts.filter(({ published_at }) => published_at.startsWith(date))),
  }));
  const first = sums.findIndex(({ posts: count }) => count > 0);
  return first === -1 ? [] : sums.slice(first);
}

/** What is known of published posts. Types alone: the page shows them too. */

/** A post that went out, and its figures; null while it is not measured. */
export interface PublishedPost {
  readonly id: string;
  readonly kind: "tweet" | "reply" | "quote" | "thread";
  readonly text: string;
  readonly topic: string | null;
  readonly format: string | null;
  readonly published_at: string;
  /** 0 is Monday, with the hour in the time zone of the schedule: where it counts among the best times. */
  readonly weekday: number;
  readonly hour: number;
  readonly figures: {
    readonly measured_at: string;
    readonly impressions: number;
    readonly likes: number;
    readonly reposts: number;
    readonly replies: number;
    readonly bookmarks: number;
    readonly score: number;
  } | null;
}

/** Sums over posts; null where none of them is measured. */
interface PostSums {
  readonly posts: number;
  readonly measured: number;
  readonly impressions: number | null;
  /** Likes, reposts, replies and bookmarks together. */
  readonly engagement: number | null;
}
