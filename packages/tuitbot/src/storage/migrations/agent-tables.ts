import type { ColumnTypes } from "./migration.ts";

/** Agents with their own tokens, and stored sign-ins. */
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
    // Sign-ins that are kept in the database, for servers on several machines.
    `create table stored_sign_ins (
      name text primary key,
      sealed text,
      renewing ${integer} not null,
      holder text,
      held_until ${integer} not null
    )${tableOptions}`,
  ];
}
