import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { type Kysely, sql } from "kysely";
import { backUpBeforeMigration } from "./backup.ts";
import type { Database } from "./database.ts";
import { allMigrations } from "./migrations/all-migrations.ts";
import { engineWords, type Migration } from "./migrations/migration.ts";
import type { Engine, Store } from "./store.ts";

export interface MigrateOptions {
  readonly now: () => number;
  /** The SQLite file, to be backed up before its data is changed. */
  readonly file?: string;
  readonly migrations?: readonly Migration[];
}

/** Brings the tables up to date. One process does it, the others wait and find it done. */
export async function migrate(
  store: Store,
  { now, file, migrations = allMigrations }: MigrateOptions,
): Promise<Outcome<"up to date", string>> {
  const { engine } = store;
  const ahead = await due(store.db, engine, migrations);
  if (!ahead.ok) return ahead;
  if (ahead.value.length === 0) return ok("up to date");
  if (file !== undefined && ahead.value.some(({ changesData }) => changesData))
    await backUpBeforeMigration(store, file, now());
  return store.transaction(async (db) => {
    if (engine === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db);
    const words = engineWords[engine];
    await sql
      .raw(`create table if not exists migrations (name text primary key, at ${words.integer} not null)`)
      .execute(db);
    // Another process may have been first while this one waited for the lock.
    const left = await due(db, engine, migrations);
    if (!left.ok) return left;
    for (const { name, statements } of left.value) {
      for (const statement of statements(words)) await sql.raw(statement).execute(db);
      await sql`insert into migrations (name, at) values (${name}, ${now()})`.execute(db);
    }
    return ok("up to date");
  });
}

/** What is still to be done to the tables. */
export function migrationsDue({ db, engine }: Store): Promise<Outcome<readonly Migration[], string>> {
  return due(db, engine, allMigrations);
}

/** Any number, as long as nothing else in the same database takes the lock of that number. */
const LOCK = 7_884_261_905;

async function due(
  db: Kysely<Database>,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<Outcome<readonly Migration[], string>> {
  const done = await namesDone(db, engine);
  const unknown = done.find((name) => !migrations.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    return failed(
      `The database was written by a newer version (it has ${unknown}). Update tuitbot, or restore a backup.`,
    );
  }
  return ok(migrations.filter(({ name }) => !done.includes(name)));
}

async function namesDone(db: Kysely<Database>, engine: Engine): Promise<readonly string[]> {
  const exists =
    engine === "sqlite"
      ? sql`select 1 from sqlite_master where name = 'migrations'`
      : sql`select 1 where to_regclass('migrations') is not null`;
  if ((await exists.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  return rows.map(({ name }) => name);
}
