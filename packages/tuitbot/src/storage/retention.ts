import { sql } from "kysely";
import type { Store } from "./store.ts";

export interface Retention {
  readonly now: number;
  /** Days that history is kept; 0 keeps everything. */
  readonly days: number;
}

/**
 * Deletes history that is older than asked for, in small pieces so that others can go on. What still decides
 * something stays: open receipts, answers that a repeated call would get, waiting approvals, the ends of what
 * drafts have yet to learn of, what was spent this month, counters of limits, and which posts were answered.
 */
export async function deleteOldRows(store: Store, { now, days }: Retention): Promise<Record<string, number>> {
  if (days === 0) return {};
  const border = now - days * DAY;
  const deleted: Record<string, number> = {};
  for (const { table, where } of OLD) {
    const clause = where(border, Math.min(border, startOfMonth(now)), now);
    let count = 0;
    for (let piece = PIECE; piece === PIECE; count += piece) {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${sql.ref(rowId(store))} in
        (select ${sql.ref(rowId(store))} from ${sql.table(table)} where ${clause} limit ${PIECE})`.execute(
        store.db,
      );
      piece = Number(numAffectedRows ?? 0);
    }
    deleted[table] = count;
  }
  return deleted;
}

const DAY = 86_400_000;
const PIECE = 1_000;

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
    // Whoever published it had a lease until then.
    where: (border) =>
      sql`created_at < ${border} and lease_until < ${border} and status not in ('scheduled', 'publishing')
        and id not in (select schedule_id from drafts
          where schedule_id is not null and status in ('scheduled', 'publishing'))`,
  },
  {
    table: "approvals",
    where: (border) =>
      sql`coalesce(decided_at, created_at) < ${border} and status not in ('pending', 'releasing')
        and id not in (select approval_id from drafts where approval_id is not null and status = 'queued')
        and id not in (select approval_id from scheduled_posts where approval_id is not null)`,
  },
  { table: "media", where: (border) => sql`uploaded_at < ${border}` },
  {
    table: "limit_counters",
    // Longer than any limit is for.
    where: (border, _, now) => sql`window_start < ${Math.min(border, now - 366 * DAY)}`,
  },
  {
    table: "discovered_posts",
    // Nobody answers a post that is a week old.
    where: (border, _, now) =>
      sql`(answered = 0 and seen_at < ${Math.max(border, now - 7 * DAY)}) or (answered = 1 and seen_at < ${border})`,
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

/** Each engine's own name for a row, whatever the table's key is. */
function rowId({ engine }: Store): string {
  return engine === "sqlite" ? "rowid" : "ctid";
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
