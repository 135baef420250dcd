import type { Generated } from "kysely";

/** What people are told outside tuitbot. */
export interface NoticeTables {
  notices: NoticeRow;
}

/** One message to one person through one channel, stored before it is sent. */
export interface NoticeRow {
  readonly id: Generated<number>;
  readonly account: string;
  /** What it is about, such as `cap:2026-11-17:80`: nobody is told twice of the same. */
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
