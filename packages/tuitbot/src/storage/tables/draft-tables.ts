import type { Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Drafts with their revisions, and the use of the language model. */
export interface DraftTables {
  drafts: DraftRow;
  draft_revisions: DraftRevisionRow;
  draft_comments: DraftCommentRow;
  snippets: SnippetRow;
  llm_usage: LlmUsageRow;
}

/** `publishing` while a call is under way, `queued` while what it would publish waits for a person. */
export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

/** A post or thread that waits to be edited, scheduled, published or discarded. */
export interface DraftRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** The texts in order: one for a post, more for a thread. */
  texts_json: string;
  /** The files that its posts show; null for none. */
  media_json: string | null;
  /** A poll, who may reply, labels, and the post that it answers or quotes; null for none. */
  options_json: string | null;
  readonly topic: string | null;
  /** The format or structure it was put as. */
  readonly framework: string | null;
  /** `provider/model` */
  readonly writer: string | null;
  status: DraftStatus;
  /** The newest revision. A change names the one that it changes. */
  revision: number;
  scheduled_for: number | null;
  /** Its last row in the schedule. */
  schedule_id: number | null;
  /** The item that waits, or waited, for a person. */
  approval_id: number | null;
  /** End of the publishing process's lease. */
  lease_until: number;
  /** Handle of a thread that is partly out. */
  resume: string | null;
  /** The answer of publishing it. */
  result_json: string | null;
  /** The first draft of the recurring posts that it is one of. */
  series_id: number | null;
  /** Which of them it is, and when they recur. */
  readonly series_json: string | null;
  readonly created_at: number;
  updated_at: number;
}

/** A draft as one change left it. */
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

/** A remark on a draft, by an agent or a person. It is not published. */
export interface DraftCommentRow {
  readonly id: Generated<number>;
  readonly draft_id: number;
  readonly account: string;
  readonly at: number;
  readonly author: string;
  /** 1 for an agent's, whose words are not trusted. */
  readonly is_agent: number;
  readonly text: string;
}

/** A text that is used again and again. */
export interface SnippetRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly text: string;
  readonly created_at: number;
}

/** One answer of a language model. */
export interface LlmUsageRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly at: number;
  readonly purpose: string;
  readonly framework: string;
  readonly topic: string | null;
  readonly provider: string;
  readonly model: string;
  /** Null where the provider did not say. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Null where the price is not known. */
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
