import type { ColumnTypes } from "./migration.ts";

/** What people sign in and approve with, beside their passphrases. */
export function peopleTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    // Links that sign in were never stored.
    "drop table web_links",
    `create table web_tries (
      id text primary key,
      account text not null,
      address text not null,
      at ${integer} not null
    )${tableOptions}`,
    "create index web_tries_by_time on web_tries (account, at)",
    `create table web_passkeys (
      account text not null,
      id text not null,
      person text not null,
      site text not null,
      public_key text not null,
      uses ${integer} not null,
      transports_json text not null,
      created_at ${integer} not null,
      primary key (account, id)
    )${tableOptions}`,
    `create table spent_answers (
      id text primary key,
      expires_at ${integer} not null
    )${tableOptions}`,
    "create index spent_answers_by_expiry on spent_answers (expires_at)",
  ];
}
