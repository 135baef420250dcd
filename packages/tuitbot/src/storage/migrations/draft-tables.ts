import type { ColumnTypes } from "./migration.ts";

/** Drafts with their revisions, and what the language model has used. */
export function draftTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table drafts (
      id ${identity},
      account text not null,
      texts_json text not null,
      media_json text,
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
