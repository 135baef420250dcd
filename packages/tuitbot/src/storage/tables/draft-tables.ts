import type { Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

export interface DraftTables {
  drafts: DraftRow;
  draft_revisions: DraftRevisionRow;
  draft_comments: DraftCommentRow;
  snippets: SnippetRow;
  llm_usage: LlmUsageRow;
}

/** `queued`: its content waits for a person. */
export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

export interface DraftRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** One for a post, more for a thread. */
  texts_json: string;
  media_json: string | null;
  /** Poll, reply settings, labels, answered or quoted post; null for none. */
  options_json: string | null;
  readonly topic: string | null;
  readonly framework: string | null;
  /** `provider/model` */
  readonly writer: string | null;
  status: DraftStatus;
  revision: number;
  scheduled_for: number | null;
  /** The latest. */
  schedule_id: number | null;
  /** Even if decided. */
  approval_id: number | null;
  /** The lease of the publishing process. */
  lease_until: number;
  /** For a partly published thread. */
  resume: string | null;
  result_json: string | null;
  series_id: number | null;
  /** Its place and recurrence. */
  readonly series_json: string | null;
  readonly created_at: number;
  updated_at: number;
}

export interface DraftRevisionRow {
  readonly draft_id: number;
  readonly revision: number;
  readonly account: string;
  readonly at: number;
  readonly editor: string;
  readonly change: string;
  readonly texts_json: string;
  readonly scheduled_for: number | null;
  readonly status: DraftStatus;
  readonly note: string | null;
}

/** By an agent or a person; not published. */
export interface DraftCommentRow {
  readonly id: Generated<number>;
  readonly draft_id: number;
  readonly account: string;
  readonly at: number;
  readonly author: string;
  /** Then the words are untrusted. */
  readonly is_agent: number;
  readonly text: string;
}

export interface SnippetRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly text: string;
  readonly created_at: number;
}

export interface LlmUsageRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly at: number;
  readonly purpose: string;
  readonly framework: string;
  readonly topic: string | null;
  readonly provider: string;
  readonly model: string;
  /** Null if unknown. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Null if unknown. */
  readonly cost_micros: number | null;
  readonly failed: number;
}

export function draftTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table drafts (
      id ${identity},
      account text not null,
      texts_json text not null,
      media_json text,
      options_json text,
      topic text,
      framework text,
      writer text,
      status text not null,
      revision ${integer} not null,
      scheduled_for ${integer},
      schedule_id ${integer},
      approval_id ${integer},
      lease_until ${integer} not null,
      resume text,
      result_json text,
      series_id ${integer},
      series_json text,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${tableOptions}`,
    "create index drafts_changed on drafts (account, updated_at)",
    "create index drafts_status on drafts (account, status, id)",
    "create index drafts_series on drafts (account, series_id, id) where series_id is not null",
    "create index drafts_old on drafts (account, updated_at) where status in ('published', 'discarded')",
    "create index drafts_approval on drafts (approval_id) where approval_id is not null",
    "create index drafts_schedule on drafts (schedule_id) where schedule_id is not null",
    `create table draft_revisions (
      draft_id ${integer} not null references drafts (id) on delete cascade,
      revision ${integer} not null,
      account text not null,
      at ${integer} not null,
      editor text not null,
      change text not null,
      texts_json text not null,
      scheduled_for ${integer},
      status text not null,
      note text,
      primary key (draft_id, revision)
    )${tableOptions}`,
    `create table draft_comments (
      id ${identity},
      draft_id ${integer} not null references drafts (id) on delete cascade,
      account text not null,
      at ${integer} not null,
      author text not null,
      is_agent ${integer} not null,
      text text not null
    )${tableOptions}`,
    "create index draft_comments_draft on draft_comments (draft_id, id)",
    `create table snippets (
      id ${identity},
      account text not null,
      text text not null,
      created_at ${integer} not null
    )${tableOptions}`,
    "create index snippets_account on snippets (account, id)",
    `create table llm_usage (
      id ${identity},
      account text not null,
      at ${integer} not null,
      purpose text not null,
      framework text not null,
      topic text,
      provider text not null,
      model text not null,
      input_tokens ${integer},
      output_tokens ${integer},
      cost_micros ${integer},
      failed ${integer} not null
    )${tableOptions}`,
    "create index llm_usage_purpose on llm_usage (account, purpose, id)",
    "create index llm_usage_time on llm_usage (account, at)",
  ];
}
