import { MINUTE_MS } from "@toolpact/contract/internal";
import type { SendFailure } from "@toolpact/contract/internal/notify";
import { type Selectable, type SqlBool, sql } from "kysely";
import type { Session } from "../storage/store.ts";
import type { NoticeRow } from "../storage/tables/notice-tables.ts";
import type { NoticeKind } from "./person.ts";
import type { Recipient } from "./recipients.ts";

export type Notice = Selectable<NoticeRow>;

/** Sent once. */
export interface NoticeEvent {
  readonly kind: NoticeKind;
  /** In every process. */
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly item?: { readonly id: number; readonly digest: string } | undefined;
}

/** Once per event and recipient. */
export async function storeNotices(
  { store, account }: Session,
  event: NoticeEvent,
  recipients: readonly (Recipient & { readonly dueAt: number })[],
  now: number,
): Promise<void> {
  if (recipients.length === 0) return;
  await store.db
    .insertInto("notices")
    .values(
      recipients.map(({ person, channel, dueAt }) => ({
        account,
        key: event.key,
        person: person.name,
        channel: channel.name,
        kind: event.kind,
        approval_id: event.item?.id ?? null,
        digest: event.item?.digest ?? null,
        title: event.title,
        text: event.text,
        status: "waiting" as const,
        shown: null,
        created_at: now,
        due_at: dueAt,
        attempts: 0,
        lease_until: 0,
        sent_at: null,
        message: null,
        error: null,
      })),
    )
    .onConflict((conflict) => conflict.columns(["account", "key", "person", "channel"]).doNothing())
    .execute();
}

/** For one attempt. After a crash, the next process sends again. */
const LEASE_MS = MINUTE_MS;

/** Other processes then leave them. */
export async function takeDue({ store, account }: Session, now: number): Promise<readonly Notice[]> {
  const due = await store.db
    .selectFrom("notices")
    .select("id")
    .where("account", "=", account)
    .where("status", "=", "waiting")
    .where("due_at", "<=", now)
    .where("lease_until", "<=", now)
    .orderBy("due_at")
    .limit(MAX_AT_ONCE)
    .execute();
  return take({ store, account }, due, now);
}

/** Their item was edited, or has another status. */
export async function takeOutdated({ store, account }: Session, now: number): Promise<readonly Notice[]> {
  const outdated = await store.db
    .selectFrom("notices")
    .innerJoin("approvals", "approvals.id", "notices.approval_id")
    .select("notices.id")
    .where("notices.account", "=", account)
    .where("approvals.account", "=", account)
    .where("notices.status", "=", "sent")
    .where("notices.due_at", "<=", now)
    .where("notices.lease_until", "<=", now)
    .where(sql<SqlBool>`(notices.shown <> approvals.status or notices.digest <> approvals.digest)`)
    .orderBy("notices.id")
    .limit(MAX_AT_ONCE)
    .execute();
  return take({ store, account }, outdated, now);
}

const MAX_AT_ONCE = 50;

async function take(
  { store, account }: Session,
  chosen: readonly { readonly id: number }[],
  now: number,
): Promise<readonly Notice[]> {
  if (chosen.length === 0) return [];
  return (
    store.db
      .updateTable("notices")
      .set(({ eb }) => ({ lease_until: now + LEASE_MS, attempts: eb("attempts", "+", 1) }))
      .where("account", "=", account)
      .where(
        "id",
        "in",
        chosen.map(({ id }) => id),
      )
      // Another process may have taken it.
      .where("lease_until", "<=", now)
      .returningAll()
      .execute()
  );
}

export interface Tried {
  readonly now: number;
  readonly failure?: SendFailure | undefined;
  readonly message?: string | undefined;
  readonly shown?: string | undefined;
  /** The message is final. */
  readonly isLast: boolean;
}

/** Or when to try again. */
export async function noteTry(
  { store, account }: Session,
  notices: readonly Notice[],
  tried: Tried,
): Promise<void> {
  const { now, failure, message, shown, isLast } = tried;
  for (const { id, status, attempts, sent_at } of notices) {
    const wasSent = status === "sent";
    const isOver = failure?.isFinal === true || attempts >= MAX_ATTEMPTS;
    await store.db
      .updateTable("notices")
      .set(
        failure === undefined
          ? {
              status: isLast ? "closed" : "sent",
              lease_until: 0,
              due_at: now,
              attempts: 0,
              sent_at: sent_at ?? now,
              error: null,
              ...(message !== undefined && { message }),
              ...(shown !== undefined && { shown }),
            }
          : {
              // Sent, even if it cannot change any more.
              ...(isOver && { status: wasSent ? ("closed" as const) : ("failed" as const) }),
              lease_until: 0,
              due_at: now + Math.max(failure.retryAfterMs ?? 0, waitBefore(attempts)),
              error: failure.message,
            },
      )
      .where("account", "=", account)
      .where("id", "=", id)
      .execute();
  }
}

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * MINUTE_MS;
/** With these pauses, a service may be away for most of a day. */
const MAX_ATTEMPTS = 80;

function waitBefore(attempts: number): number {
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempts - 1));
}

export async function nextDue({ store, account }: Session): Promise<number | undefined> {
  const row = await store.db
    .selectFrom("notices")
    .select(({ fn }) => fn.min("due_at").as("at"))
    .where("account", "=", account)
    .where("status", "=", "waiting")
    .executeTakeFirst();
  return row?.at === null || row?.at === undefined ? undefined : Number(row.at);
}
