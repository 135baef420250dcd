import { setImmediate } from "node:timers/promises";
import type { Clock } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { sql } from "kysely";
import { dayNumber, hourOf } from "./days.ts";
import { StorageError } from "./storage-error.ts";
import type { Store } from "./store.ts";

export interface Retention {
  readonly now: number;
  /** 0 keeps everything. */
  readonly days: number;
  /** Checked after each batch. */
  readonly isStopped?: () => boolean;
}

/** Until the returned function is called. */
export function deleteOldRowsDaily(store: Store, days: number, clock: Clock): () => void {
  let cancel = () => {};
  let hasStopped = false;
  const isStopped = () => hasStopped;
  async function run(): Promise<void> {
    if (hasStopped) return;
    cancel = clock.after(DAY_MS, () => void run());
    try {
      await deleteOldRows(store, { now: clock.now(), days, isStopped });
    } catch (error) {
      // The next run tries again.
      if (!(error instanceof StorageError)) throw error;
    }
  }
  void run();
  return () => {
    hasStopped = true;
    cancel();
  };
}

/**
 * In small batches. Keeps rows that still decide something, such as open receipts, waiting approvals and
 * counters. An index finds each batch.
 */
export async function deleteOldRows(
  store: Store,
  { now, days, isStopped = () => false }: Retention,
): Promise<Record<string, number>> {
  if (days === 0) return {};
  const border = now - days * DAY_MS;
  const borders = { border, moneyBorder: Math.min(border, startOfMonth(now)), now };
  const deleted: Record<string, number> = {};
  for (const { table, where } of OLD) {
    deleted[table] ??= 0;
    for await (const account of accountsIn(store, table)) {
      for (let piece = PIECE; piece === PIECE && !isStopped(); ) {
        piece = await deletePiece(store, table, sql`account = ${account} and ${where(borders)}`);
        deleted[table] += piece;
        await setImmediate();
      }
    }
  }
  await tidyUp(store, isStopped);
  return deleted;
}

const PIECE = 200;

async function deletePiece(
  { db, engine }: Store,
  table: string,
  condition: ReturnType<typeof sql>,
): Promise<number> {
  // The engine's row id.
  const row = sql.ref(engine === "sqlite" ? "rowid" : "ctid");
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${row} in
    (select ${row} from ${sql.table(table)} where ${condition} limit ${sql.lit(PIECE)})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** By the index, without reading in between. */
async function* accountsIn({ db }: Store, table: string): AsyncGenerator<string> {
  for (let last = ""; ; ) {
    const { rows } = await sql<{ account: string | null }>`
      select min(account) as account from ${sql.table(table)} where account > ${last}`.execute(db);
    const account = rows[0]?.account ?? null;
    if (account === null) return;
    yield account;
    last = account;
  }
}

interface Borders {
  readonly border: number;
  readonly moneyBorder: number;
  readonly now: number;
}

/** As in the indexes, because SQLite ignores parameters when it chooses one. */
const OLD: readonly {
  readonly table: string;
  readonly where: (borders: Borders) => ReturnType<typeof sql>;
}[] = [
  { table: "telemetry", where: ({ border }) => sql`hour < ${hourOf(border)}` },
  { table: "audit", where: ({ border }) => sql`at < ${border}` },
  { table: "action_counts", where: ({ border }) => sql`hour < ${hourOf(border)}` },
  { table: "ledger", where: ({ moneyBorder }) => sql`at < ${moneyBorder}` },
  { table: "caller_days", where: ({ moneyBorder }) => sql`day < ${dayNumber(moneyBorder)}` },
  { table: "usage_days", where: ({ moneyBorder }) => sql`day < ${dayNumber(moneyBorder)}` },
  {
    table: "spend",
    where: ({ moneyBorder }) => sql`period < ${new Date(moneyBorder).toISOString().slice(0, 7)}`,
  },
  {
    table: "receipts",
    where: ({ border }) =>
      sql`created_at < ${border} and state in ('confirmed', 'failed') and coalesce(reply_claim, claim) is null`,
  },
  {
    table: "receipts",
    where: ({ border }) =>
      sql`replay_until < ${border} and state in ('confirmed', 'failed') and coalesce(reply_claim, '') = ''
        and claim is not null`,
  },
  {
    table: "scheduled_posts",
    // A publishing process holds its lease.
    where: ({ border }) =>
      sql`created_at < ${border} and lease_until < ${border} and status not in ('scheduled', 'publishing')
        and not exists (select 1 from drafts
          where drafts.schedule_id = scheduled_posts.id and drafts.status in ('scheduled', 'publishing'))`,
  },
  {
    table: "approvals",
    where: ({ border }) =>
      sql`decided_at < ${border} and status in ('executed', 'failed', 'rejected', 'expired')
        and not exists (select 1 from drafts where drafts.approval_id = approvals.id and drafts.status = 'queued')
        and not exists (select 1 from scheduled_posts where scheduled_posts.approval_id = approvals.id)`,
  },
  { table: "notices", where: ({ border }) => sql`created_at < ${border}` },
  { table: "media", where: ({ border }) => sql`uploaded_at < ${border}` },
  {
    table: "limit_counters",
    // Longer than any limit's window.
    where: ({ border, now }) => sql`window_start < ${Math.min(border, now - 366 * DAY_MS)}`,
  },
  {
    table: "discovered_posts",
    // A week-old post is not answered any more.
    where: ({ border, now }) => sql`answered = 0 and seen_at < ${Math.max(border, now - 7 * DAY_MS)}`,
  },
  { table: "discovered_posts", where: ({ border }) => sql`answered = 1 and seen_at < ${border}` },
  { table: "publications", where: ({ border }) => sql`published_at < ${border}` },
  { table: "measurements", where: ({ border }) => sql`at < ${border}` },
  { table: "topic_days", where: ({ border }) => sql`day < ${dayNumber(border)}` },
  { table: "text_labels", where: ({ border }) => sql`made_at < ${border}` },
  { table: "llm_usage", where: ({ border }) => sql`at < ${border}` },
  { table: "llm_days", where: ({ border }) => sql`day < ${dayNumber(border)}` },
  {
    table: "drafts",
    where: ({ border }) => sql`updated_at < ${border} and status in ('published', 'discarded')`,
  },
];

/** In pieces, with SQLite's statistics. */
async function tidyUp({ db, engine }: Store, isStopped: () => boolean): Promise<void> {
  // PostgreSQL does both itself.
  if (engine !== "sqlite") return;
  for (let left = await freePages(db); left > 0 && !isStopped(); ) {
    await sql`pragma incremental_vacuum(${sql.lit(PIECE)})`.execute(db);
    const now = await freePages(db);
    // Files made without this setting do not shrink.
    if (now >= left) break;
    left = now;
    await setImmediate();
  }
  if (isStopped()) return;
  await sql`pragma analysis_limit = 400`.execute(db);
  await sql`pragma optimize`.execute(db);
}

async function freePages(db: Store["db"]): Promise<number> {
  const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db);
  return rows[0]?.freelist_count ?? 0;
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
