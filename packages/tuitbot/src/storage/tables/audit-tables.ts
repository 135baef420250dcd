import type { ColumnTypes } from "./column-types.ts";

/** With tool performance. */
export interface AuditTables {
  audit: AuditRow;
  telemetry: TelemetryRow;
}

export interface AuditRow {
  readonly correlation_id: string;
  readonly account: string;
  readonly at: number;
  readonly tool: string;
  readonly effect: string;
  readonly transport: string;
  /** The token's agent, or the client's claim. */
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
  /** Null while running, and after a crash. */
  readonly elapsed_ms: number | null;
}

/** Per hour and outcome, without arguments and names. */
export interface TelemetryRow {
  readonly account: string;
  /** Since the epoch. */
  readonly hour: number;
  readonly tool: string;
  readonly category: string;
  /** Empty for success. */
  readonly code: string;
  /** Empty without a decision. */
  readonly policy_decision: string;
  /** Rounded, to keep rows few. */
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
