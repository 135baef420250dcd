import type { ColumnType, Generated } from "kysely";

/** What was found, what was published, and how it fared. Keyed and counted as `Database` says. */
export interface EngagementTables {
  discovered_posts: DiscoveredPostRow;
  publications: PublicationRow;
  measurements: MeasurementRow;
  authors: AuthorRow;
  publication_totals: PublicationTotalRow;
  topic_scores: TopicScoreRow;
  topic_days: TopicDayRow;
  hour_scores: HourScoreRow;
  text_labels: TextLabelRow;
  follower_snapshots: FollowerSnapshotRow;
  targets: TargetRow;
  scheduled_posts: ScheduledPostRow;
  loops: LoopRow;
  leases: LeaseRow;
}

export type DiscoverySource = "search" | "mention" | "target";

/** A post of somebody else that was found, as it was when it was last seen. */
export interface DiscoveredPostRow {
  readonly account: string;
  readonly id: string;
  author_id: string;
  author_username: string;
  author_followers: number;
  text: string;
  /** When it was posted; null where X did not say. */
  posted_at: number | null;
  likes: number;
  reposts: number;
  replies: number;
  impressions: number | null;
  score: number;
  matched_keyword: string | null;
  /** Where it was found first; a mention stays one. */
  source: DiscoverySource;
  /** It mentions or quotes this account, so that any plan may answer it. */
  is_summons: number;
  readonly found_at: number;
  seen_at: number;
  /** This account has answered it. */
  answered: number;
  /** Whom its author lets reply, as X names it; null where X did not say. */
  reply_settings: string | null;
  /** X has refused a reply of this account to it. */
  reply_refused: number;
  /** What a loop has done about it, such as `queued`; null while nothing was. */
  handled: string | null;
}

export type PublicationKind = "tweet" | "reply" | "quote" | "thread";

/** A post that this account has out, written down with the receipt that says so. */
export interface PublicationRow {
  readonly account: string;
  readonly post_id: string;
  readonly receipt_id: string;
  readonly kind: PublicationKind;
  /** Place within its thread, from 0. */
  readonly position: number;
  readonly text: string;
  /** The post that it answers: of somebody else for a reply, one's own within a thread. */
  readonly reply_to: string | null;
  /** Whom a reply answers, as far as it is known. */
  author_id: string | null;
  /** As its writer said; otherwise the configured topic that it names, once it is measured. */
  topic: string | null;
  readonly format: string | null;
  readonly published_at: number;
  /** Null until its performance was read; of a post that is gone, when that was found. */
  measured_at: number | null;
}

/** How a publication stood a day or more after it went out. */
export interface MeasurementRow {
  readonly account: string;
  readonly post_id: string;
  readonly at: number;
  readonly likes: number;
  readonly replies: number;
  readonly reposts: number;
  readonly bookmarks: number;
  readonly impressions: number;
  /** Performance score. */
  readonly score: number;
}

/** Somebody whom this account has answered, in sums. */
export interface AuthorRow {
  readonly account: string;
  readonly author_id: string;
  username: string | null;
  /** The name in lower case, to be found by. */
  name_key: string | null;
  replies: number;
  /** UTC days with at least one reply. */
  days: number;
  first_at: number;
  last_at: number;
  measured: number;
  /** Measured replies that got at least one like or reply. */
  engaged: number;
  score_sum: number;
}

export interface PublicationTotalRow {
  readonly account: string;
  readonly kind: PublicationKind;
  published: number;
  measured: number;
  score_sum: number;
  impressions: number;
}

export interface TopicScoreRow {
  readonly account: string;
  readonly topic: string;
  readonly format: string;
  posts: number;
  score_sum: number;
}

/** Own posts about a topic, by the UTC day on which they were published. */
export interface TopicDayRow {
  readonly account: string;
  /** Days since the epoch. */
  readonly day: number;
  readonly topic: string;
  posts: number;
  measured: number;
  score_sum: number;
  best: number | null;
  best_post: string | null;
  worst: number | null;
}

export interface HourScoreRow {
  readonly account: string;
  /** 0 is Monday, in the time zone of the schedule when it was measured. */
  readonly weekday: number;
  readonly hour: number;
  posts: number;
  score_sum: number;
}

/** What a text is about, from whoever wrote it, until it is published. */
export interface TextLabelRow {
  readonly account: string;
  readonly digest: string;
  topic: string;
  format: string | null;
  made_at: number;
}

export interface FollowerSnapshotRow {
  readonly account: string;
  /** UTC, such as `2026-09-30`. */
  readonly day: string;
  at: number;
  followers: number;
  following: number;
  posts: number;
}

/** An account to follow up on. */
export interface TargetRow {
  readonly account: string;
  readonly name_key: string;
  username: string;
  author_id: string | null;
  /** The newest post of theirs that was read. */
  cursor: string | null;
  checked_at: number;
}

export type ScheduledStatus = "scheduled" | "publishing" | "queued" | "posted" | "failed" | "cancelled";

/** A post or thread that is to go out by itself. */
export interface ScheduledPostRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly draft_id: number | null;
  /** The texts in order: one for a post, more for a thread. */
  texts_json: string;
  /** The files that its posts show; null for none. */
  media_json: string | null;
  readonly topic: string | null;
  readonly format: string | null;
  due_at: number;
  status: ScheduledStatus;
  readonly created_at: number;
  /** Until when the process that publishes it may be at work. */
  lease_until: number;
  tries: number;
  approval_id: number | null;
  /** The first post that went out. */
  post_id: string | null;
  error_json: string | null;
  /** 1 where whoever scheduled it said yes to what X charges for its links. */
  readonly accepts_url_price: number;
}

/** How far a loop has come. */
export interface LoopRow {
  readonly account: string;
  readonly name: string;
  cursor: string | null;
  ran_at: number;
  /** Failures since the last success. */
  failures: number;
  /** When a person switched it off, and who; null while it is on. */
  off_at: ColumnType<number | null, number | null | undefined>;
  off_by: ColumnType<string | null, string | null | undefined>;
  /** What its last run came to. */
  last_json: ColumnType<string | null, string | null | undefined>;
}

/** Who may run, so that two processes never do the same at once. */
export interface LeaseRow {
  readonly account: string;
  readonly name: string;
  holder: string;
  until: number;
}
