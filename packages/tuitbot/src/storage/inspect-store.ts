import { stat } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { sql } from "kysely";
import { migrationsDue } from "./migrate.ts";
import { allMigrations } from "./migrations/all-migrations.ts";
import { connectStore, type StorePlace } from "./open-store.ts";
import { StorageError } from "./storage-error.ts";
import type { Engine, Store } from "./store.ts";

/** A database as it is, looked at without changing it. */
export interface StoreFacts {
  readonly engine: Engine;
  readonly bytes: number;
  /** Migrations that were made, and that the next server will make. */
  readonly done: number;
  readonly due: number;
}

/** Looks at a database that exists: whether it can be written, how large it is, and how up to date. */
export async function inspectStore(place: StorePlace): Promise<Outcome<StoreFacts, string>> {
  let store: Store | undefined;
  try {
    store = await connectStore(place);
    const due = await migrationsDue(store);
    if (!due.ok) return due;
    const done = allMigrations.length - due.value.length;
    // Changes nothing, and is refused where nothing can be changed.
    if (done > 0) await sql`update migrations set at = at where 1 = 0`.execute(store.db);
    return ok({ engine: store.engine, bytes: await sizeOf(store, place), done, due: due.value.length });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return failed(error.message);
  } finally {
    await store?.close();
  }
}

async function sizeOf({ engine, db }: Store, { path }: StorePlace): Promise<number> {
  if (engine === "sqlite") return (await stat(path)).size;
  const size = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(size.rows[0]?.bytes ?? 0);
}
