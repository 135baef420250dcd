import { DAY_MS } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import { DAYS, localTime } from "../config/schedule-window.ts";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";
import { performanceScore } from "./performance.ts";

/** The receipt of posts published without tuitbot starts with this. */
export const ELSEWHERE = "elsewhere:";

/** Newest first. A thread is one post. */
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
    .select([
      "publications.post_id",
      "kind",
      "text",
      "topic",
      "format",
      "published_at",
      "receipt_id",
      "position",
    ])
    .select(["measurements.at", "impressions", "likes", "reposts", "replies", "bookmarks", "score"])
    .where("publications.account", "=", account)
    .where("published_at", ">=", since)
    // Deleted before it was measured.
    .where((eb) => eb.or([eb("measured_at", "is", null), eb("measurements.at", "is not", null)]))
    .orderBy("published_at", "desc")
    .limit(limit)
    .execute();
  const rest = rows.filter(isContinuation);
  return rows
    .filter((row) => !isContinuation(row))
    .map(({ post_id, published_at, at, kind, text, topic, format, receipt_id, ...head }) => {
      const local = localTime(published_at, timezone);
      const parts = kind === "thread" ? rest.filter((row) => row.receipt_id === receipt_id) : [];
      return {
        id: post_id,
        kind,
        text,
        posts: 1 + parts.length,
        topic,
        format,
        published_at: new Date(published_at).toISOString(),
        is_elsewhere: receipt_id.startsWith(ELSEWHERE),
        weekday: DAYS.indexOf(local.day),
        hour: local.hour,
        figures: at === null ? null : { measured_at: new Date(at).toISOString(), ...together(head, parts) },
      };
    });
}

type Figures = Readonly<
  Record<"impressions" | "likes" | "reposts" | "replies" | "bookmarks" | "score", number | null>
>;

function isContinuation({ kind, position }: { readonly kind: string; readonly position: number }): boolean {
  return kind === "thread" && position > 0;
}

/** All posts of a thread. Its views are the first post's, because the same people read on. */
function together(head: Figures, parts: readonly Figures[]) {
  const sum = (name: keyof Figures) => [head, ...parts].reduce((total, one) => total + (one[name] ?? 0), 0);
  const metrics = {
    impressions: head.impressions ?? 0,
    likes: sum("likes"),
    reposts: sum("reposts"),
    replies: sum("replies"),
    bookmarks: sum("bookmarks"),
  };
  return { ...metrics, score: parts.length === 0 ? (head.score ?? 0) : performanceScore(metrics) };
}

export function sumsOf(posts: readonly PublishedPost[]): PostSums {
  const measured = posts.flatMap(({ figures }) => figures ?? []);
  const sum = (of: (figures: NonNullable<PublishedPost["figures"]>) => number) =>
    measured.length === 0 ? null : measured.reduce((total, figures) => total + of(figures), 0);
  return {
    posts: posts.filter(({ kind }) => kind !== "reply").length,
    replies: posts.filter(({ kind }) => kind === "reply").length,
    measured: measured.length,
    impressions: sum(({ impressions }) => impressions),
    engagement: sum(({ likes, reposts, replies, bookmarks }) => likes + reposts + replies + bookmarks),
  };
}

/** By UTC day of publication, without gaps, oldest first. */
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

/** Types only, because the dashboard shares them. */

/** Metrics are null until measured. */
export interface PublishedPost {
  readonly id: string;
  readonly kind: "tweet" | "reply" | "quote" | "thread";
  readonly text: string;
  /** More than one for a thread. */
  readonly posts: number;
  readonly topic: string | null;
  readonly format: string | null;
  readonly published_at: string;
  /** Published without tuitbot. */
  readonly is_elsewhere: boolean;
  /** 0 is Monday, in the schedule's time zone. */
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

/** Null if none is measured. */
interface PostSums {
  /** A thread is one; replies are left out. */
  readonly posts: number;
  readonly replies: number;
  readonly measured: number;
  readonly impressions: number | null;
  readonly engagement: number | null;
}
