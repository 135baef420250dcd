import type { ColumnType, Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

export interface SpendTables {
  ledger: LedgerRow;
  spend: SpendRow;
  billed_resources: BilledResourceRow;
  limit_counters: LimitCounterRow;
}

export interface LedgerRow {
  readonly id: Generated<number>;
  readonly account: string;
  readonly call_id: string;
  readonly tool: string;
  readonly operation: string;
  readonly at: number;
  readonly estimated_micros: number;
  /** Null while unknown; then the estimate counts. */
  settled_micros: number | null;
  failed: number;
  /** An agent's id, a client's name, `loop:NAME`; empty before callers were recorded. */
  readonly caller: ColumnType<string, string | undefined, never>;
}

/** Spent or reserved. */
export interface SpendRow {
  readonly account: string;
  /** `2026-09-30` or `2026-09`, by UTC. */
  readonly period: string;
  micros: number;
}

/** X charges it once per UTC day. */
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

export function spendTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table ledger (
      id ${identity},
      account text not null,
      call_id text not null,
      tool text not null,
      operation text not null,
      at ${integer} not null,
      estimated_micros ${integer} not null,
      settled_micros ${integer},
      failed ${integer} not null,
      caller text not null
    )${tableOptions}`,
    "create index ledger_time on ledger (account, at)",
    `create table spend (
      account text not null,
      period text not null,
      micros ${integer} not null,
      primary key (account, period)
    )${tableOptions}`,
    `create table billed_resources (
      account text not null,
      day text not null,
      resource text not null,
      primary key (account, day, resource)
    )${tableOptions}`,
    `create table limit_counters (
      account text not null,
      key text not null,
      window_start ${integer} not null,
      used ${integer} not null,
      primary key (account, key)
    )${tableOptions}`,
    "create index limit_counters_time on limit_counters (account, window_start)",
  ];
}
