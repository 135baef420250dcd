import type { ColumnTypes } from "./migration.ts";

/** Who may use the page, and the stop. */
export function webTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table web_sessions (
      id text primary key,
      account text not null,
      person text not null,
      role text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${tableOptions}`,
    `create table web_links (
      id text primary key,
      account text not null,
      person text not null,
      role text not null,
      expires_at ${integer} not null
    )${tableOptions}`,
    `create table web_people (
      account text not null,
      name text not null,
      role text not null,
      passphrase text not null,
      created_at ${integer} not null,
      primary key (account, name)
    )${tableOptions}`,
    `create table stops (
      account text primary key,
      stopped_at ${integer} not null,
      stopped_by text not null,
      reason text
    )${tableOptions}`,
  ];
}
