import type { ColumnTypes } from "./column-types.ts";

export interface ReceiptTables {
  receipts: ReceiptRow;
  steps: StepRow;
}

export type ReceiptState = "pending" | "confirmed" | "failed" | "unknown";

/** From before its first request until its outcome is certain. */
export interface ReceiptRow {
  /** The id of the call that began it. */
  readonly id: string;
  readonly account: string;
  /** Null once the same call would be new. */
  claim: string | null;
  /** Digest of the arguments, to detect a key reused for others. */
  readonly args_digest: string;
  /** For the approval that released it. */
  approval_claim: number | null;
  /** Somebody's post; no other receipt may answer it. */
  reply_claim: string | null;
  readonly tool: string;
  readonly args_json: string;
  state: ReceiptState;
  /** Grows with each takeover; older calls must not send. */
  attempt: number;
  /** A pending call may run until then. */
  lease_until: number;
  /** Then the same call no longer gets this answer; null while it does. */
  replay_until: number | null;
  /** Requests of a complete call. */
  readonly expected_steps: number;
  readonly created_at: number;
  settled_at: number | null;
  result_json: string | null;
  error_json: string | null;
  /** Budget and places, returned if nothing was done. */
  holds_json: string;
}

export interface StepRow {
  readonly receipt_id: string;
  readonly seq: number;
  readonly account: string;
  /** In X's table; null outside it. */
  readonly operation: string | null;
  readonly method: string;
  /** Without the query. Secrets are masked here and in the body; `digest` identifies the request. */
  readonly target: string;
  readonly body_json: string | null;
  readonly digest: string;
  state: ReceiptState;
  /** By X's clock, as are all times of receipts. */
  readonly sent_at: number;
  /** Earliest possible execution. */
  readonly effect_from: number;
  /** Latest possible execution: only effects missing afterwards did not happen. */
  effect_until: number;
  settled_at: number | null;
  status: number | null;
  /** Or the result of reading back. */
  answer_text: string | null;
  /** Such as `post:123` or `like:123`; null once undone. */
  makes: string | null;
  /** The thread's post it answers. No other step may continue from there, unless this one failed. */
  continues: string | null;
}

export function receiptTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table receipts (
      id text primary key,
      account text not null,
      claim text,
      args_digest text not null,
      approval_claim ${integer},
      reply_claim text,
      tool text not null,
      args_json text not null,
      state text not null,
      attempt ${integer} not null,
      lease_until ${integer} not null,
      replay_until ${integer},
      expected_steps ${integer} not null,
      created_at ${integer} not null,
      settled_at ${integer},
      result_json text,
      error_json text,
      holds_json text not null
    )${tableOptions}`,
    "create unique index receipts_claim on receipts (account, claim)",
    "create unique index receipts_approval on receipts (account, approval_claim)",
    "create unique index receipts_reply on receipts (account, reply_claim)",
    "create index receipts_time on receipts (account, created_at)",
    "create index receipts_args on receipts (account, args_digest, created_at)",
    "create index receipts_tried on receipts (account, tool, created_at) where state <> 'confirmed'",
    // Both kinds that may be deleted. With a plain `is null`, SQLite would scan all unclaimed rows.
    `create index receipts_old on receipts (account, created_at)
      where state in ('confirmed', 'failed') and coalesce(reply_claim, claim) is null`,
    `create index receipts_lapsed on receipts (account, replay_until)
      where state in ('confirmed', 'failed') and coalesce(reply_claim, '') = '' and claim is not null`,
    "create index receipts_open on receipts (account, lease_until) where state in ('pending', 'unknown')",
    `create table steps (
      receipt_id text not null references receipts (id) on delete cascade,
      seq ${integer} not null,
      account text not null,
      operation text,
      method text not null,
      target text not null,
      body_json text,
      digest text not null,
      state text not null,
      sent_at ${integer} not null,
      effect_from ${integer} not null,
      effect_until ${integer} not null,
      settled_at ${integer},
      status ${integer},
      answer_text text,
      makes text,
      continues text,
      primary key (receipt_id, seq)
    )${tableOptions}`,
    "create index steps_makes on steps (account, makes)",
    // Posts, lists and messages have one maker; marks may be set again.
    "create unique index steps_maker on steps (account, makes) where makes like 'post:%' or makes like 'list:%' or makes like 'dm:%'",
    "create unique index steps_continues on steps (account, continues)",
    "create index steps_open on steps (account) where state in ('pending', 'unknown')",
    "create index steps_digest on steps (account, digest)",
  ];
}
