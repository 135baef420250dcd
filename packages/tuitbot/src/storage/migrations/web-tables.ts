import type { ColumnTypes } from "./migration.ts";

/** Sign-in to the dashboard, and the stop. */
export function webTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table web_sessions (
      id text primary key,
      account text not null,
      person text not null,
      role text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      signed_in_by text not null
    )${tableOptions}`,
    `create table web_people (
      account text not null,
      name text not null,
      role text not null,
      passphrase text not null,
      created_at ${integer} not null,
      primary key (account, name)
    )${tableOptions}`,
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
    `create table stops (
      account text primary key,
      stopped_at ${integer} not null,
      stopped_by text not null,
      reason text
    )${tableOptions}`,
  ];
}
