import type { Clock } from "@toolpact/contract";
import { sql } from "kysely";
import { DAY_MS } from "./days.ts";
import { StorageError } from "./storage-error.ts";
import type { Store } from "./store.ts";

export interface Retention {
  readonly now: number;
  /** Days for which history is stored; 0 stores everything. */
  readonly days: number;
}

/** Deletes old history now and once a day, until the returned function is called. */
export function deleteOldRowsDaily(store: Store, days: number, clock: Clock): () => void {
  let cancel = () => {};
  let isStopped = false;
  async function run(): Promise<void> {
    if (isStopped) return;
    cancel = clock.after(DAY_MS, () => void run());
    try {
      await deleteOldRows(store, { now: clock.now(), days });
    } catch (error) {
      // The next day's run deletes what this one could not.
      if (!(error instanceof StorageError)) throw error;
    }
  }
  void run();
  return () => {
    isStopped = true;
    cancel();
  };
}

/**
 * Deletes rows older than `days`, in batches so that other processes are not locked out. Rows that still decide
 * something stay: open receipts, answers that a repeated call would get, waiting approvals, outcomes that drafts have
 * not picked up yet, this month's spending, counters of limits, and which posts were answered.
 */
export async function deleteOldRows(store: Store, { now, days }: Retention): Promise<Record<string, number>> {
  if (days === 0) return {};
  const border = now - days * DAY_MS;
  const deleted: Record<string, number> = {};
  for (const { table, where } of OLD) {
    const clause = where(border, Math.min(border, startOfMonth(now)), now);
    let count = 0;
    for (let batch = BATCH; batch === BATCH; count += batch) {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${sql.ref(rowId(store))} in
        (select ${sql.ref(rowId(store))} from ${sql.table(table)} where ${clause} limit ${BATCH})`.execute(
        store.db,
      );
      batch = Number(numAffectedRows ?? 0);
    }
    deleted[table] = count;
  }
  return deleted;
}

const BATCH = 1_000;

const OLD: readonly {
  readonly table: string;
  readonly where: (border: number, moneyBorder: number, now: number) => ReturnType<typeof sql>;
}[] = [
  { table: "telemetry", where: (border) => sql`at < ${border}` },
  { table: "audit", where: (border) => sql`at < ${border}` },
  { table: "ledger", where: (_, border) => sql`at < ${border}` },
  { table: "spend", where: (_, border) => sql`period < ${new Date(border).toISOString().slice(0, 7)}` },
  {
    table: "receipts",
    where: (border, _, now) =>
      sql`created_at < ${border} and state in ('confirmed', 'failed') and (claim is null or replay_until < ${now})
        and reply_claim is null`,
  },
  {
    table: "scheduled_posts",
    // A publishing process holds its lease until then.
    where: (border) =>
      sql`created_at < ${border} and lease_until < ${border} and status not in ('scheduled', 'publishing')
        and id not in (select schedule_id from drafts
          where schedule_id is not null and status in ('scheduled', 'publishing'))`,
  },
  {
    table: "approvals",
    where: (border) =>
      sql`coalesce(decided_at, created_at) < ${border} and status not in ('pending', 'approved', 'releasing')
        and id not in (select approval_id from drafts where approval_id is not null and status = 'queued')
        and id not in (select approval_id from scheduled_posts where approval_id is not null)`,
  },
  { table: "media", where: (border) => sql`uploaded_at < ${border}` },
  {
    table: "limit_counters",
    // Longer than the window of any limit.
    where: (border, _, now) => sql`window_start < ${Math.min(border, now - 366 * DAY_MS)}`,
  },
  {
    table: "discovered_posts",
    // A post that is a week old is not answered any more.
    where: (border, _, now) =>
      sql`(answered = 0 and seen_at < ${Math.max(border, now - 7 * DAY_MS)}) or (answered = 1 and seen_at < ${border})`,
  },
  { table: "publications", where: (border) => sql`published_at < ${border}` },
  { table: "measurements", where: (border) => sql`at < ${border}` },
  { table: "text_labels", where: (border) => sql`made_at < ${border}` },
  { table: "llm_usage", where: (border) => sql`at < ${border}` },
  {
    table: "drafts",
    where: (border) => sql`updated_at < ${border} and status in ('published', 'discarded')`,
  },
];

/** The engine's own identifier of a row, whatever the table's key is. */
function rowId({ engine }: Store): string {
  return engine === "sqlite" ? "rowid" : "ctid";
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
