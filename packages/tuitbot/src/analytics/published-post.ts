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
export interface PostSums {
  readonly posts: number;
  readonly measured: number;
  readonly impressions: number | null;
  /** Likes, reposts, replies and bookmarks together. */
  readonly engagement: number | null;
}
