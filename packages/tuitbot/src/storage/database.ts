import type { ColumnType, Generated } from "kysely";
import type { AgentTables } from "./agent-tables.ts";
import type { ContentTables } from "./content-tables.ts";
import type { EngagementTables } from "./engagement-tables.ts";
import type { NoticeTables } from "./notice-tables.ts";
import type { ReceiptRow, StepRow } from "./receipt-tables.ts";
import type { WebTables } from "./web-tables.ts";

/**
 * Every table. All but agents are keyed by account, the id of the signed-in X account. Times are epoch milliseconds, money is
 * micro-dollars, `json` columns hold JSON text, and flags are 0 or 1: the same on both engines.
 */
export interface Database extends EngagementTables, ContentTables, WebTables, NoticeTables, AgentTables {
  sign_ins: SignInRow;
  stored_sign_ins: StoredSignInRow;
  receipts: ReceiptRow;
  steps: StepRow;
  ledger: LedgerRow;
  spend: SpendRow;
  billed_resources: BilledResourceRow;
  limit_counters: LimitCounterRow;
  approvals: ApprovalRow;
  approval_edits: ApprovalEditRow;
  audit: AuditRow;
  telemetry: TelemetryRow;
  media: MediaRow;
  approval_counts: ApprovalCountRow;
  draft_news: DraftNewsRow;
  action_counts: ActionCountRow;
  usage_days: UsageDayRow;
  caller_days: CallerDayRow;
  llm_days: LlmDayRow;
}

/** Whose sign-in it is, as X said last: local data is then found without asking X. */
export interface SignInRow {
  readonly id: string;
  readonly account: string;
  readonly username: string;
  readonly name: string;
  readonly seen_at: number;
  /** The account of the configuration that it is of. */
  readonly configured_as: string;
}

/** The tokens of a sign-in that is kept in the database, and who may replace them. */
export interface StoredSignInRow {
  readonly name: string;
  /** Encrypted; null where nobody is signed in. */
  sealed: string | null;
  /** Whether a renewal has begun whose tokens are not stored yet. */
  renewing: number;
  holder: string | null;
  held_until: number;
}

/** One request to X and what it cost. */
export interface LedgerRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly call_id: string;
  readonly tool: string;
  readonly operation: string;
  readonly at: number;
  readonly estimated_micros: number;
  /** Null while it is not known. The estimate counts until then. */
  settled_micros: number | null;
  failed: number;
  /** Who made the call: an agent by its id, the name of the client, `loop:` and the name of a loop; empty where it was not recorded. */
  readonly caller: ColumnType<string, string | undefined, never>;
}

/** What one account has spent, or put aside, in a day or month. */
export interface SpendRow {
  readonly account: string;
  /** `2026-09-30` or `2026-09`, by UTC. */
  readonly period: string;
  micros: number;
}

/** Something that X has charged for today and will not charge for again before the day ends by UTC. */
export interface BilledResourceRow {
  readonly account: string;
  /** `2026-09-30` */
  readonly day: string;
  /** `posts_read:123` */
  readonly resource: string;
}

export interface LimitCounterRow {
  readonly account: string;
  readonly key: string;
  window_start: number;
  used: number;
}

/** `approved`: a person has approved it, and it goes out at its time. */
export type ApprovalStatus =
  | "pending"
  | "approved"
  | "releasing"
  | "executed"
  | "failed"
  | "rejected"
  | "expired";

/** A mutation that waits for a person. */
export interface ApprovalRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** Digest of the call; null once it is decided, so that the same call can wait again. */
  claim: string | null;
  readonly tool: string;
  args_json: string;
  /** Digest of the tool and what it would publish, without options: what a person has rejected is known by it. */
  content: string;
  /** SHA-256 of every media file it would publish, in order. */
  media_json: string;
  /** What the call is about, as X showed it; null where it was not read. */
  context_json: ColumnType<string | null, string | null | undefined>;
  /** When it is to go out, and with which files; null where it is carried out as soon as it is approved. */
  readonly schedule_json: ColumnType<string | null, string | null | undefined, string | null>;
  /** Keyed, over account, tool, arguments, media and schedule. */
  digest: string;
  status: ApprovalStatus;
  /** How many people have to approve it. */
  readonly people_needed: ColumnType<number, number | undefined, never>;
  /** Who of them has approved what it says now, each with a keyed digest; null while nobody has. */
  votes_json: ColumnType<string | null, string | null | undefined>;
  readonly rule_id: string;
  readonly reason: string;
  estimated_micros: number;
  readonly correlation_id: string;
  /** The agent that made the call, by its id; null where it had no token of its own. */
  readonly principal: ColumnType<string | null, string | null | undefined, never>;
  readonly created_at: number;
  readonly expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  /** Keyed, over the item, its digest and who approved it; null where nobody has. */
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

/** Who tried to change what, what was decided, and how it ended. */
export interface AuditRow {
  readonly correlation_id: string;
  readonly account: string;
  readonly at: number;
  readonly tool: string;
  readonly effect: string;
  readonly transport: string;
  /** The agent whose token it came with, or else who the client says it is. */
  readonly client: string | null;
  readonly args_json: string;
  readonly decision: string;
  readonly rule_id: string | null;
  readonly status: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly receipt_id: string | null;
  readonly approval_id: number | null;
  readonly result_json: string | null;
  readonly rollback_json: string | null;
  /** Null while it is at work, and where its process ended first. */
  readonly elapsed_ms: number | null;
}

/** How a tool fared in an hour, for each way in which its calls ended: no arguments, no names. */
export interface TelemetryRow {
  readonly account: string;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly tool: string;
  readonly category: string;
  /** Empty where the calls succeeded. */
  readonly code: string;
  /** Empty where nothing was decided. */
  readonly policy_decision: string;
  /** Rounded, so that the rows of an hour stay few. */
  readonly latency_ms: number;
  calls: number;
  total_ms: number;
  min_ms: number;
  max_ms: number;
  latest_at: number;
}

/** How many approval items there are. Kept up by the database. */
export interface ApprovalCountRow {
  readonly account: string;
  readonly status: ApprovalStatus;
  readonly items: number;
}

/** A draft about which something happened elsewhere. Written by the database, deleted by whoever has looked. */
export interface DraftNewsRow {
  readonly draft_id: number;
  readonly account: string;
  /** Grows with each piece of news, so that one that comes while somebody looks is not lost. */
  readonly news: number;
}

/** How many entries of the audit log there are for an hour. Kept up by the database. */
export interface ActionCountRow {
  readonly account: string;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly tool: string;
  readonly status: string;
  readonly actions: number;
}

/** What the ledger adds up to for a day. Kept up by the database. */
export interface UsageDayRow {
  readonly account: string;
  /** Days since the epoch. */
  readonly day: number;
  /** Empty for all together. */
  readonly operation: string;
  readonly calls: number;
  readonly micros: number;
  readonly failed: number;
}

/** What a caller has asked of X in a day. Kept up by the database. */
export interface CallerDayRow {
  readonly account: string;
  /** Days since the epoch. */
  readonly day: number;
  readonly caller: string;
  readonly calls: number;
  readonly micros: number;
  readonly failed: number;
}

/** What a language model was used for in a day. Kept up by the database. */
export interface LlmDayRow {
  readonly account: string;
  /** Days since the epoch. */
  readonly day: number;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Null where no price is known. */
  readonly cost_micros: number | null;
}

/** A file that was uploaded, so that an approval can be bound to its bytes. */
export interface MediaRow {
  readonly account: string;
  readonly media_id: string;
  readonly sha256: string;
  /** Of the file; null where it is not known. */
  readonly name: ColumnType<string | null, string | null | undefined>;
  readonly uploaded_at: number;
}
