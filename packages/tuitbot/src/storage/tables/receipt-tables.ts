import type { ColumnTypes } from "./column-types.ts";

/** Receipts of mutations, and the requests that each has sent. */
export interface ReceiptTables {
  receipts: ReceiptRow;
  steps: StepRow;
}

export type ReceiptState = "pending" | "confirmed" | "failed" | "unknown";

/** One mutation that was let through, from before its first request until its outcome is certain. */
export interface ReceiptRow {
  /** Correlation id of the call that began it. */
  readonly id: string;
  readonly account: string;
  /** Digest of the call; null once the same call would count as new. */
  claim: string | null;
  /** Digest of the arguments only, to detect a key that is reused with other arguments. */
  readonly args_digest: string;
  /** As `claim`, for the approval that released it. */
  approval_claim: number | null;
  /** The post of somebody else that it answers; no other receipt may answer it too. */
  reply_claim: string | null;
  readonly tool: string;
  readonly args_json: string;
  state: ReceiptState;
  /** Grows when another call takes the receipt over; a call with an old number may send nothing more. */
  attempt: number;
  /** Until when the call that holds a pending receipt may be at work. */
  lease_until: number;
  /** The time after which the same call no longer gets this answer; null while the claim is valid. */
  replay_until: number | null;
  /** How many requests make it complete. */
  readonly expected_steps: number;
  readonly created_at: number;
  settled_at: number | null;
  result_json: string | null;
  error_json: string | null;
  /** Reserved budget and limit places, returned if nothing was done. */
  holds_json: string;
}

/** One request of a mutation. */
export interface StepRow {
  readonly receipt_id: string;
  readonly seq: number;
  readonly account: string;
  /** Operation in X's table; null for a request it does not have. */
  readonly operation: string | null;
  readonly method: string;
  /** Path without query. Secrets in it and in the body are masked; `digest` tells requests apart. */
  readonly target: string;
  readonly body_json: string | null;
  readonly digest: string;
  state: ReceiptState;
  /** By X's clock, as all times of receipts. */
  readonly sent_at: number;
  /** The earliest time at which X can have carried it out. */
  readonly effect_from: number;
  /** X may carry it out until then: only what does not show afterwards was not carried out. */
  effect_until: number;
  settled_at: number | null;
  status: number | null;
  /** X's answer, or what reading back found in its place. */
  answer_text: string | null;
  /** Its effect, such as `post:123` or `like:123`; null once that was undone. */
  makes: string | null;
  /** The post of the same thread that it answers, until it is known to have failed: no other step may go on from there. */
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
    // The two kinds of receipts that may be deleted when they are old. With a plain `is null`, SQLite would rather look
    // for all that have no claim.
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
    // A post, list or message has one maker. Marks such as likes may be set again.
    "create unique index steps_maker on steps (account, makes) where makes like 'post:%' or makes like 'list:%' or makes like 'dm:%'",
    "create unique index steps_continues on steps (account, continues)",
    "create index steps_open on steps (account) where state in ('pending', 'unknown')",
    "create index steps_digest on steps (account, digest)",
  ];
}
