import type { Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

export interface NoticeTables {
  notices: NoticeRow;
}

/** For one person and channel, stored before it is sent. */
export interface NoticeRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** Such as `cap:2026-11-17:80`: sent once. */
  readonly key: string;
  readonly person: string;
  readonly channel: string;
  readonly kind: string;
  /** With the digest of the shown content. */
  readonly approval_id: number | null;
  readonly digest: string | null;
  readonly title: string;
  readonly text: string;
  /** `closed`: final. `failed`: given up. */
  status: "waiting" | "sent" | "closed" | "failed";
  shown: string | null;
  readonly created_at: number;
  due_at: number;
  attempts: number;
  /** One process sends it until then. */
  lease_until: number;
  sent_at: number | null;
  /** From the service. */
  message: string | null;
  error: string | null;
}

export function noticeTables({ integer, identity, tableOptions }: ColumnTypes): readonly string[] {
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
