import type { ColumnType, Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

export interface ScheduleTables {
  targets: TargetRow;
  scheduled_posts: ScheduledPostRow;
  loops: LoopRow;
  leases: LeaseRow;
}

export interface TargetRow {
  readonly account: string;
  readonly name_key: string;
  username: string;
  author_id: string | null;
  /** The newest read post. */
  cursor: string | null;
  checked_at: number;
}

export type ScheduledStatus = "scheduled" | "publishing" | "queued" | "posted" | "failed" | "cancelled";

export interface ScheduledPostRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly draft_id: number | null;
  /** One for a post, more for a thread. */
  texts_json: string;
  media_json: string | null;
  /** Poll, reply settings, labels, answered or quoted post; null for none. */
  readonly options_json: string | null;
  readonly topic: string | null;
  readonly format: string | null;
  due_at: number;
  status: ScheduledStatus;
  readonly created_at: number;
  /** The lease of the publishing process. */
  lease_until: number;
  tries: number;
  approval_id: number | null;
  /** The first one. */
  post_id: string | null;
  error_json: string | null;
  /** For links. */
  readonly accepts_url_price: number;
}

export interface LoopRow {
  readonly account: string;
  readonly name: string;
  cursor: string | null;
  ran_at: number;
  failures: number;
  /** With the person; null while on. */
  off_at: ColumnType<number | null, number | null | undefined>;
  off_by: ColumnType<string | null, string | null | undefined>;
  last_json: ColumnType<string | null, string | null | undefined>;
}

/** Keeps two processes from doing the same. */
export interface LeaseRow {
  readonly account: string;
  readonly name: string;
  holder: string;
  until: number;
}

export function scheduleTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
  return [
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
      options_json text,
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
    `create index scheduled_old on scheduled_posts (account, created_at)
      where status not in ('scheduled', 'publishing')`,
    "create index scheduled_approval on scheduled_posts (approval_id) where approval_id is not null",
    `create table loops (
      account text not null,
      name text not null,
      cursor text,
      ran_at ${integer} not null,
      failures ${integer} not null,
      off_at ${integer},
      off_by text,
      last_json text,
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
