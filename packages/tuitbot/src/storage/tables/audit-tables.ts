import type { ColumnTypes } from "./column-types.ts";

/** The audit log, and how tools performed. */
export interface AuditTables {
  audit: AuditRow;
  telemetry: TelemetryRow;
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
  /** Rounded to keep the rows of an hour few. */
  readonly latency_ms: number;
  calls: number;
  total_ms: number;
  min_ms: number;
  max_ms: number;
  latest_at: number;
}

export function auditTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table audit (
      correlation_id text primary key,
      account text not null,
      at ${integer} not null,
      tool text not null,
      effect text not null,
      transport text not null,
      client text,
      args_json text not null,
      decision text not null,
      rule_id text,
      status text not null,
      code text,
      message text,
      receipt_id text,
      approval_id ${integer},
      result_json text,
      rollback_json text,
      elapsed_ms ${integer}
    )${tableOptions}`,
    "create index audit_time on audit (account, at, correlation_id)",
    "create index audit_tool on audit (account, tool, at, correlation_id)",
    "create index audit_status on audit (account, status, at, correlation_id)",
    "create index audit_tool_status on audit (account, tool, status, at, correlation_id)",
    "create index audit_open on audit (receipt_id) where status = 'pending'",
    `create table telemetry (
      account text not null,
      hour ${integer} not null,
      tool text not null,
      category text not null,
      code text not null,
      policy_decision text not null,
      latency_ms ${integer} not null,
      calls ${integer} not null,
      total_ms ${integer} not null,
      min_ms ${integer} not null,
      max_ms ${integer} not null,
      latest_at ${integer} not null,
      primary key (account, hour, tool, category, code, policy_decision, latency_ms)
    )${tableOptions}`,
  ];
}
