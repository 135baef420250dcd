import type { Generated } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Messages to people outside tuitbot. */
export interface NoticeTables {
  notices: NoticeRow;
}

/** One message to one person through one channel, stored before it is sent. */
export interface NoticeRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** Its subject, such as `cap:2026-11-17:80`: each is notified once. */
  readonly key: string;
  readonly person: string;
  readonly channel: string;
  readonly kind: string;
  /** The item that waits, and the digest of the content that the message shows. */
  readonly approval_id: number | null;
  readonly digest: string | null;
  readonly title: string;
  readonly text: string;
  /** `closed`: what was sent needs no change any more. `failed`: it was given up. */
  status: "waiting" | "sent" | "closed" | "failed";
  /** The status of the item that the message shows. */
  shown: string | null;
  readonly created_at: number;
  due_at: number;
  attempts: number;
  /** Until then one process is sending it. */
  lease_until: number;
  sent_at: number | null;
  /** The service's id of the message. */
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
