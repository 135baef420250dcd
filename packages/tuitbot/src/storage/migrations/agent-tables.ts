import type { ColumnTypes } from "./migration.ts";

/** Agents with tokens of their own, and which of them asked for what waits. */
export function agentTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table agents (
      name text primary key,
      token_hash text unique,
      subject text unique,
      profile text not null,
      accounts_json text not null,
      day_micros ${integer},
      month_micros ${integer},
      limits_json text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      revoked_at ${integer},
      used_at ${integer}
    )${tableOptions}`,
    "alter table approvals add column principal text",
    // What one caller has spent today and this month, for all accounts.
    "create index caller_days_of_caller on caller_days (caller, day)",
  ];
}
