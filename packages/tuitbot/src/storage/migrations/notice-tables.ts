import type { ColumnTypes } from "./migration.ts";

/** What people are told outside tuitbot. */
export function noticeTables({ identity, integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table notices (
      id ${identity},
      account text not null,
      key text not null,
      person text not null,
      channel text not null,
      kind text not null,
      approval_id ${integer},
      digest text,
      title text not null,
      text text not null,
      status text not null,
      shown text,
      created_at ${integer} not null,
      due_at ${integer} not null,
      attempts ${integer} not null,
      lease_until ${integer} not null,
      sent_at ${integer},
      message text,
      error text,
      unique (account, key, person, channel)
    )${tableOptions}`,
    "create index notices_due on notices (account, status, due_at)",
    "create index notices_old on notices (account, created_at)",
    "create index notices_items on notices (account, approval_id, status)",
  ];
}
