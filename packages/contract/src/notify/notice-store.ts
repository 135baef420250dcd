import { MINUTE_MS } from "../clock.ts";
import type { RunSql, SqlDatabase, SqlRow } from "../guards/sql.ts";
import { numberOf, textOf } from "../guards/sql-items.ts";
import type { SendFailure } from "./channel.ts";

/** A message about a subject, for one person by one channel. */
export interface Notice extends NoticeKey {
  readonly attempts: number;
  /** The service's id, once sent. */
  readonly message: string | undefined;
}

interface NoticeKey {
  readonly subject: string;
  readonly person: string;
  readonly channel: string;
}

/** Messages of a scope, shared by all processes. */
export interface NoticeStore {
  /** Takes or keeps the right to send and receive. False while another process has it. */
  readonly lead: (holder: string, now: number, until: number) => Promise<boolean>;
  readonly release: (holder: string) => Promise<void>;
  /** Adds missing messages. */
  readonly add: (notices: readonly NoticeKey[], now: number) => Promise<void>;
  /** Takes the messages due now. No other process gets them before `until`. */
  readonly takeDue: (now: number, until: number) => Promise<readonly Notice[]>;
  /** Sent messages that may have to be updated. */
  readonly sent: () => Promise<readonly Notice[]>;
  readonly wasSent: (notice: NoticeKey, message: string | undefined, isLast: boolean) => Promise<void>;
  readonly failed: (notice: Notice, failure: SendFailure, now: number) => Promise<void>;
  readonly closed: (notice: NoticeKey) => Promise<void>;
  readonly subjectOf: (
    to: Pick<Notice, "person" | "channel">,
    message: string,
  ) => Promise<string | undefined>;
}

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * MINUTE_MS;
/** With these pauses, a service may be away for most of a day. */
const MAX_ATTEMPTS = 80;
const MAX_AT_ONCE = 100;

/** Creates the tables. */
export async function openNotices(database: SqlDatabase, scope: string): Promise<NoticeStore> {
  const transact = <T>(work: (run: RunSql) => Promise<T>) => database.transact(scope, work);
  await database.transact("", async (run) => {
    for (const statement of TABLES) await run(statement);
  });
  const change = (
    set: string,
    { subject, person, channel }: NoticeKey,
    values: readonly (string | number)[],
  ) =>
    transact(async (run) => {
      await run(
        `update guard_notices set ${set} where scope = ? and subject = ? and person = ? and channel = ?`,
        [...values, scope, subject, person, channel],
      );
    });
  return {
    lead: (holder, now, until) =>
      transact(async (run) => {
        await run(
          `insert into guard_notifiers (scope, holder, until) values (?, ?, ?) on conflict (scope) do update
           set holder = excluded.holder, until = excluded.until
           where guard_notifiers.holder = excluded.holder or guard_notifiers.until <= ?`,
          [scope, holder, until, now],
        );
        const [row] = await run("select holder from guard_notifiers where scope = ?", [scope]);
        return row?.holder === holder;
      }),
    release: (holder) =>
      transact(async (run) => {
        await run("delete from guard_notifiers where scope = ? and holder = ?", [scope, holder]);
      }),
    add: (notices, now) =>
      transact(async (run) => {
        for (const { subject, person, channel } of notices)
          await run(
            `insert into guard_notices (scope, subject, person, channel, state, attempts, due_at)
             values (?, ?, ?, ?, 'waiting', 0, ?) on conflict do nothing`,
            [scope, subject, person, channel, now],
          );
      }),
    takeDue: (now, until) =>
      transact(async (run) => {
        const rows = await run(
          `select * from guard_notices where scope = ? and state = 'waiting' and due_at <= ? order by due_at limit ?`,
          [scope, now, MAX_AT_ONCE],
        );
        const due = rows.map(noticeFrom);
        for (const { subject, person, channel } of due)
          await run(
            `update guard_notices set due_at = ?, attempts = attempts + 1
             where scope = ? and subject = ? and person = ? and channel = ?`,
            [until, scope, subject, person, channel],
          );
        return due.map((notice) => ({ ...notice, attempts: notice.attempts + 1 }));
      }),
    sent: () =>
      transact(async (run) => {
        const rows = await run("select * from guard_notices where scope = ? and state = 'sent'", [scope]);
        return rows.map(noticeFrom);
      }),
    wasSent: (notice, message, isLast) =>
      message === undefined
        ? change("state = ?", notice, ["closed"])
        : change("state = ?, message = ?", notice, [isLast ? "closed" : "sent", message]),
    failed: (notice, { message, isFinal, retryAfterMs = 0 }, now) => {
      const isOver = isFinal || notice.attempts >= MAX_ATTEMPTS;
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, notice.attempts - 1));
      return change("state = ?, due_at = ?, error = ?", notice, [
        isOver ? "failed" : "waiting",
        now + Math.max(wait, retryAfterMs),
        message,
      ]);
    },
    closed: (notice) => change("state = ?", notice, ["closed"]),
    subjectOf: ({ person, channel }, message) =>
      transact(async (run) => {
        const [row] = await run(
          "select subject from guard_notices where scope = ? and person = ? and channel = ? and message = ?",
          [scope, person, channel, message],
        );
        return textOf(row?.subject);
      }),
  };
}

const TABLES = [
  `create table if not exists guard_notices (
    scope text not null, subject text not null, person text not null, channel text not null, state text not null,
    attempts bigint not null, due_at bigint not null, message text, error text,
    primary key (scope, subject, person, channel))`,
  "create table if not exists guard_notifiers (scope text primary key, holder text not null, until bigint not null)",
];

function noticeFrom(row: SqlRow): Notice {
  return {
    subject: String(row.subject),
    person: String(row.person),
    channel: String(row.channel),
    attempts: numberOf(row.attempts) ?? 0,
    message: textOf(row.message),
  };
}
