import type { ColumnType, Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Waiting mutations, learned rules, and files bound to approvals. */
export interface ApprovalTables {
  approvals: ApprovalRow;
  approval_edits: ApprovalEditRow;
  learned_rules: LearnedRuleRow;
  media: MediaRow;
}

/** `approved` goes out at its time. */
export type ApprovalStatus =
  | "pending"
  | "approved"
  | "releasing"
  | "executed"
  | "failed"
  | "rejected"
  | "expired";

export interface ApprovalRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** Null once decided, so the same call can wait again. */
  claim: string | null;
  readonly tool: string;
  args_json: string;
  /** Digest of tool and content without options, to recognize rejected content. */
  content: string;
  /** SHA-256, in order. */
  media_json: string;
  /** As X showed them; null if not read. */
  context_json: ColumnType<string | null, string | null | undefined>;
  /** With files; null if carried out on approval. */
  readonly schedule_json: ColumnType<string | null, string | null | undefined, string | null>;
  /** Keyed, over account, tool, arguments, media and schedule. */
  digest: string;
  status: ApprovalStatus;
  /** How many people have to approve it. */
  people_needed: ColumnType<number, number | undefined>;
  /** Who of them has approved what it says now, each with a keyed digest; null while nobody has. */
  votes_json: ColumnType<string | null, string | null | undefined>;
  readonly rule_id: string;
  readonly reason: string;
  /** The agent's explanation for the approver; null if it gave none. */
  readonly agent_note: ColumnType<string | null, string | null | undefined, never>;
  estimated_micros: number;
  readonly correlation_id: string;
  /** Id of the calling agent; null if it had no token. */
  readonly principal: ColumnType<string | null, string | null | undefined, never>;
  /** The call as learned rules see it, as JSON; null for a scheduled one. */
  readonly facts_json: ColumnType<string | null, string | null | undefined, never>;
  readonly created_at: number;
  readonly expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  /** Keyed, over item, digest and approver; null without an approval. */
  decision: ColumnType<string | null, string | null | undefined>;
  note: string | null;
  receipt_id: string | null;
  result_json: string | null;
  error_json: string | null;
}

export interface ApprovalEditRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly approval_id: number;
  readonly at: number;
  readonly editor: string;
  readonly old_args_json: string;
  readonly new_args_json: string;
}

/** It decides about calls like those a person decided about. */
export interface LearnedRuleRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly rule_json: string;
  /** JSON list of item ids. */
  readonly evidence_json: string;
  readonly accepted_at: number;
  readonly accepted_by: string;
  /** Keyed digest of the above; null once ended, so only a new acceptance restores it. */
  seal: string | null;
  ended_at: number | null;
  ended_by: string | null;
  /** As a sentence. */
  suspended_because: string | null;
}

/** Binds approvals to the file's bytes. */
export interface MediaRow {
  readonly account: string;
  readonly media_id: string;
  readonly sha256: string;
  /** Null if unknown. */
  readonly name: ColumnType<string | null, string | null | undefined>;
  readonly uploaded_at: number;
}

export function approvalTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table approvals (
      id ${identity},
      account text not null,
      claim text,
      tool text not null,
      args_json text not null,
      media_json text not null,
      content text not null,
      schedule_json text,
      context_json text,
      digest text not null,
      status text not null,
      rule_id text not null,
      reason text not null,
      agent_note text,
      estimated_micros ${integer} not null,
      correlation_id text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      decided_at ${integer},
      decided_by text,
      decision text,
      note text,
      receipt_id text,
      result_json text,
      error_json text,
      principal text,
      people_needed ${integer} not null,
      votes_json text,
      facts_json text
    )${tableOptions}`,
    "create unique index approvals_claim on approvals (account, claim)",
    "create index approvals_status on approvals (account, status, id)",
    `create index approvals_expiry on approvals (account, status, expires_at)
      where status in ('pending', 'approved', 'failed')`,
    `create index approvals_decided on approvals (account, decided_at, id)
      where status in ('executed', 'failed', 'rejected', 'expired')`,
    "create index approvals_rejected on approvals (account, content, expires_at) where status = 'rejected'",
    `create table approval_edits (
      id ${identity},
      account text not null,
      approval_id ${integer} not null references approvals (id) on delete cascade,
      at ${integer} not null,
      editor text not null,
      old_args_json text not null,
      new_args_json text not null
    )${tableOptions}`,
    "create index approval_edits_item on approval_edits (approval_id)",
    "create index approval_edits_newest on approval_edits (account, id)",
    `create table learned_rules (
      id ${identity},
      account text not null,
      rule_json text not null,
      evidence_json text not null,
      accepted_at ${integer} not null,
      accepted_by text not null,
      seal text,
      ended_at ${integer},
      ended_by text,
      suspended_because text
    )${tableOptions}`,
    "create index learned_rules_account on learned_rules (account, id)",
    `create table media (
      account text not null,
      media_id text not null,
      sha256 text not null,
      name text,
      uploaded_at ${integer} not null,
      primary key (account, media_id)
    )${tableOptions}`,
    "create index media_time on media (account, uploaded_at)",
  ];
}
