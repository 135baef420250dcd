import type { ColumnTypes } from "./column-types.ts";

export interface PublicationTables {
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
}

export type DiscoverySource = "search" | "mention" | "target";

/** By somebody else, as last seen. */
export interface DiscoveredPostRow {
  readonly account: string;
  readonly id: string;
  author_id: string;
  author_username: string;
  author_followers: number;
  text: string;
  /** Null if X did not return it. */
  posted_at: number | null;
  likes: number;
  reposts: number;
  replies: number;
  impressions: number | null;
  score: number;
  matched_keyword: string | null;
  /** The first source; a mention stays one. */
  source: DiscoverySource;
  /** Mentions or quotes this account, so any plan may answer. */
  is_summons: number;
  readonly found_at: number;
  seen_at: number;
  /** By this account. */
  answered: number;
  /** Null if X did not return it. */
  reply_settings: string | null;
  /** X has refused a reply of this account. */
  reply_refused: number;
  /** By a loop, such as `queued`; null for nothing. */
  handled: string | null;
  /** Null for nobody in particular. */
  assigned_to?: string | null;
  /** The id of the post that it answers or quotes; null if it does neither. */
  about_id?: string | null;
}

export type PublicationKind = "tweet" | "reply" | "quote" | "thread";

/** Recorded when its receipt is resolved. */
export interface PublicationRow {
  readonly account: string;
  readonly post_id: string;
  readonly receipt_id: string;
  readonly kind: PublicationKind;
  /** Within its thread, from 0. */
  readonly position: number;
  readonly text: string;
  /** Somebody else's for a reply, one's own within a thread. */
  readonly reply_to: string | null;
  /** If known. */
  author_id: string | null;
  /** As the writer labeled it, or else a configured topic in the text. */
  topic: string | null;
  readonly format: string | null;
  readonly published_at: number;
  /** Null until measured; for a deleted post, when that was noticed. */
  measured_at: number | null;
}

/** A day or more after publication. */
export interface MeasurementRow {
  readonly account: string;
  readonly post_id: string;
  readonly at: number;
  readonly likes: number;
  readonly replies: number;
  readonly reposts: number;
  readonly bookmarks: number;
  readonly impressions: number;
  readonly score: number;
}

/** About an author this account has answered. */
export interface AuthorRow {
  readonly account: string;
  readonly author_id: string;
  username: string | null;
  /** Lower case, for lookups. */
  name_key: string | null;
  replies: number;
  /** UTC days with a reply. */
  days: number;
  first_at: number;
  last_at: number;
  measured: number;
  /** With at least one like or reply. */
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

/** By UTC day of publication. */
export interface TopicDayRow {
  readonly account: string;
  /** Since the epoch. */
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
  /** 0 is Monday, in the schedule's zone. */
  readonly weekday: number;
  readonly hour: number;
  posts: number;
  score_sum: number;
}

/** Until the text is published. */
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

export function publicationTables({ integer, real, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table discovered_posts (
      account text not null,
      id text not null,
      author_id text not null,
      author_username text not null,
      author_followers ${integer} not null,
      text text not null,
      posted_at ${integer},
      likes ${integer} not null,
      reposts ${integer} not null,
      replies ${integer} not null,
      impressions ${integer},
      score ${real} not null,
      matched_keyword text,
      source text not null,
      is_summons ${integer} not null,
      found_at ${integer} not null,
      seen_at ${integer} not null,
      answered ${integer} not null,
      reply_settings text,
      reply_refused ${integer} not null,
      handled text,
      assigned_to text,
      about_id text,
      primary key (account, id)
    )${tableOptions}`,
    "create index discovered_feed on discovered_posts (account, answered, score, id)",
    "create index discovered_open on discovered_posts (account, source, answered, score) where handled is null",
    "create index discovered_author on discovered_posts (account, author_id, matched_keyword)",
    "create index discovered_name on discovered_posts (account, lower(author_username))",
    "create index discovered_seen on discovered_posts (account, answered, seen_at)",
    `create table publications (
      account text not null,
      post_id text not null,
      receipt_id text not null,
      kind text not null,
      position ${integer} not null,
      text text not null,
      reply_to text,
      author_id text,
      topic text,
      format text,
      published_at ${integer} not null,
      measured_at ${integer},
      primary key (account, post_id)
    )${tableOptions}`,
    "create index publications_kind on publications (account, kind, published_at)",
    "create index publications_author on publications (account, author_id, published_at)",
    "create index publications_answers on publications (account, reply_to)",
    "create index publications_receipt on publications (account, receipt_id)",
    "create index publications_due on publications (account, published_at) where measured_at is null",
    "create index publications_time on publications (account, published_at, post_id)",
    `create table measurements (
      account text not null,
      post_id text not null,
      at ${integer} not null,
      likes ${integer} not null,
      replies ${integer} not null,
      reposts ${integer} not null,
      bookmarks ${integer} not null,
      impressions ${integer} not null,
      score ${real} not null,
      primary key (account, post_id)
    )${tableOptions}`,
    "create index measurements_time on measurements (account, at)",
    `create table authors (
      account text not null,
      author_id text not null,
      username text,
      name_key text,
      replies ${integer} not null,
      days ${integer} not null,
      first_at ${integer} not null,
      last_at ${integer} not null,
      measured ${integer} not null,
      engaged ${integer} not null,
      score_sum ${real} not null,
      primary key (account, author_id)
    )${tableOptions}`,
    "create index authors_name on authors (account, name_key)",
    `create table publication_totals (
      account text not null,
      kind text not null,
      published ${integer} not null,
      measured ${integer} not null,
      score_sum ${real} not null,
      impressions ${integer} not null,
      primary key (account, kind)
    )${tableOptions}`,
    `create table topic_scores (
      account text not null,
      topic text not null,
      format text not null,
      posts ${integer} not null,
      score_sum ${real} not null,
      primary key (account, topic, format)
    )${tableOptions}`,
    `create table topic_days (
      account text not null,
      day ${integer} not null,
      topic text not null,
      posts ${integer} not null,
      measured ${integer} not null,
      score_sum ${real} not null,
      best ${real},
      best_post text,
      worst ${real},
      primary key (account, day, topic)
    )${tableOptions}`,
    `create table hour_scores (
      account text not null,
      weekday ${integer} not null,
      hour ${integer} not null,
      posts ${integer} not null,
      score_sum ${real} not null,
      primary key (account, weekday, hour)
    )${tableOptions}`,
    `create table text_labels (
      account text not null,
      digest text not null,
      topic text not null,
      format text,
      made_at ${integer} not null,
      primary key (account, digest)
    )${tableOptions}`,
    "create index text_labels_time on text_labels (account, made_at)",
    `create table follower_snapshots (
      account text not null,
      day text not null,
      at ${integer} not null,
      followers ${integer} not null,
      following ${integer} not null,
      posts ${integer} not null,
      primary key (account, day)
    )${tableOptions}`,
  ];
}
