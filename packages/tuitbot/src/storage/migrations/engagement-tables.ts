import type { ColumnTypes } from "./migration.ts";

/** Found posts, publications and their measurements, schedules and loops. */
export function engagementTables({ integer, real, identity, tableOptions }: ColumnTypes): readonly string[] {
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
      primary key (account, id)
    )${tableOptions}`,
    "create index discovered_feed on discovered_posts (account, answered, score)",
    "create index discovered_open on discovered_posts (account, source, answered, score) where handled is null",
    "create index discovered_author on discovered_posts (account, author_id, matched_keyword)",
    "create index discovered_name on discovered_posts (account, lower(author_username))",
    "create index discovered_seen on discovered_posts (answered, seen_at)",
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
    "create index publications_due on publications (account, published_at) where measured_at is null",
    "create index publications_time on publications (published_at)",
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
    "create index measurements_time on measurements (at)",
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
    `create table follower_snapshots (
      account text not null,
      day text not null,
      at ${integer} not null,
      followers ${integer} not null,
      following ${integer} not null,
      posts ${integer} not null,
      primary key (account, day)
    )${tableOptions}`,
    `create table targets (
      account text not null,
      name_key text not null,
      username text not null,
      author_id text,
      cursor text,
      checked_at ${integer} not null,
      primary key (account, name_key)
    )${tableOptions}`,
    `create table scheduled_posts (
      id ${identity},
      account text not null,
      draft_id ${integer},
      texts_json text not null,
      media_json text,
      topic text,
      format text,
      due_at ${integer} not null,
      status text not null,
      created_at ${integer} not null,
      accepts_url_price ${integer} not null,
      lease_until ${integer} not null,
      tries ${integer} not null,
      approval_id ${integer},
      post_id text,
      error_json text
    )${tableOptions}`,
    "create index scheduled_due on scheduled_posts (account, status, due_at)",
    `create table loops (
      account text not null,
      name text not null,
      cursor text,
      ran_at ${integer} not null,
      failures ${integer} not null,
      primary key (account, name)
    )${tableOptions}`,
    `create table leases (
      account text not null,
      name text not null,
      holder text not null,
      until ${integer} not null,
      primary key (account, name)
    )${tableOptions}`,
  ];
}
