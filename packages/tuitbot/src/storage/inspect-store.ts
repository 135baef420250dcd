import { stat } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { sql } from "kysely";
import { overAllAccounts } from "./account-check.ts";
import { pendingMigrations } from "./migrate.ts";
import { connectStore, type StorePlace } from "./open-store.ts";
import { StorageError } from "./storage-error.ts";
import type { Engine, Store } from "./store.ts";
import { allMigrations } from "./tables/migrations.ts";

export interface StoreFacts {
  readonly engine: Engine;
  readonly bytes: number;
  /** Run so far, and by the next server. */
  readonly done: number;
  readonly pending: number;
  /** Not carried out yet. */
  readonly approvedWaiting: number;
  readonly scheduled: number;
  /** With their ends. */
  readonly leases: readonly { readonly name: string; readonly until: number }[];
}

/** Intact, writable, size and version. Changes nothing. */
export async function inspectStore(place: StorePlace): Promise<Outcome<StoreFacts, string>> {
  let store: Store | undefined;
  try {
    store = await connectStore(place);
    const damage = await damageIn(store);
    if (damage !== undefined) return failed(`it is damaged: ${damage}`);
    const pending = await pendingMigrations(store);
    if (!pending.ok) return pending;
    const done = allMigrations.length - pending.value.length;
    // Changes no row, but fails if the database cannot be written.
    if (done > 0) await sql`update kysely_migration set name = name where 1 = 0`.execute(store.db);
    return ok({
      engine: store.engine,
      bytes: await sizeOf(store, place),
      done,
      pending: pending.value.length,
      ...(pending.value.length === 0
        ? await rowsOf(store)
        : { approvedWaiting: 0, scheduled: 0, leases: [] }),
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return failed(error.message);
  } finally {
    await store?.close();
  }
}

async function rowsOf(store: Store): Promise<Pick<StoreFacts, "approvedWaiting" | "scheduled" | "leases">> {
  const db = overAllAccounts(store.db, "inspection");
  const [waiting, scheduled, leases] = await Promise.all([
    db
      .selectFrom("approval_counts")
      .select(({ fn }) => fn.sum<number | null>("items").as("count"))
      .where("status", "=", "releasing")
      .executeTakeFirstOrThrow(),
    db
      .selectFrom("drafts")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("status", "=", "scheduled")
      .executeTakeFirstOrThrow(),
    db.selectFrom("leases").select(["name", "until"]).execute(),
  ]);
  return {
    approvedWaiting: Number(waiting.count ?? 0),
    scheduled: Number(scheduled.count),
    leases: leases.map(({ name, until }) => ({ name, until: Number(until) })),
  };
}

async function sizeOf({ engine, db }: Store, { path }: StorePlace): Promise<number> {
  if (engine === "sqlite") return (await stat(path)).size;
  const size = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(size.rows[0]?.bytes ?? 0);
}

/** The first problem, if any. */
async function damageIn({ engine, db }: Store): Promise<string | undefined> {
  if (engine === "sqlite") {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db);
    const found = rows[0]?.integrity_check;
    return found === "ok" ? undefined : found;
  }
  const { rows } = await sql<{ found: string }>`
    select format('the index %s is not valid, REINDEX it', indexrelid::regclass) as found
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and not (indisvalid and indisready)
    union all
    select format('%s pages failed their checksum', checksum_failures)
    from pg_stat_database where datname = current_database() and checksum_failures > 0`.execute(db);
  return rows[0]?.found;
}
