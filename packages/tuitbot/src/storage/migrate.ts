import { failed, type Outcome, ok } from "@toolpact/outcome";
import { sql } from "kysely";
import { overAllAccounts } from "./account-check.ts";
import { backUpBeforeMigration } from "./backup.ts";
import type { Store } from "./store.ts";
import { columnTypes } from "./tables/column-types.ts";
import { allMigrations, type Migration } from "./tables/migrations.ts";

export interface MigrateOptions {
  readonly now: () => number;
  /** Backed up first. */
  readonly file?: string;
  readonly migrations?: readonly Migration[];
}

/** One process does it, the others wait. */
export async function migrate(
  store: Store,
  { now, file, migrations = allMigrations }: MigrateOptions,
): Promise<Outcome<"up to date", string>> {
  const pending = await pendingMigrations(store, migrations);
  if (!pending.ok) return pending;
  if (pending.value.length === 0) return ok("up to date");
  if (file !== undefined && pending.value.some(({ changesData }) => changesData))
    await backUpBeforeMigration(store, file, now());
  // Needed once in a database's life.
  const { Migrator } = await import("kysely/migration");
  const migrator = new Migrator({
    db: overAllAccounts(store.db, "migration"),
    provider: { getMigrations: async () => kyselyMigrations(migrations, store.engine) },
    // Otherwise Kysely takes any schema's table for its own.
    ...(store.engine === "postgres" && { migrationTableSchema: await currentSchema(store) }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return ok("up to date");
}

/** Fails for a newer version, or another program's database. */
export async function pendingMigrations(
  store: Store,
  migrations: readonly Migration[] = allMigrations,
): Promise<Outcome<readonly Migration[], string>> {
  const done = await executedMigrations(store);
  const foreign = done.length === 0 ? await foreignTables(store) : [];
  if (foreign.length > 0) {
    return failed(
      `The database belongs to another program (it has the table ${foreign[0]}). Set storage.db_path to another file.`,
    );
  }
  const unknown = done.find((name) => !migrations.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    return failed(
      `The database was written by a newer version (it has ${unknown}). Update tuitbot, or restore a backup.`,
    );
  }
  return ok(migrations.filter(({ name }) => !done.includes(name)));
}

/** In a file tuitbot has not migrated. PostgreSQL may be shared. */
async function foreignTables({ db, engine }: Store): Promise<readonly string[]> {
  if (engine === "postgres") return [];
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master
    where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function executedMigrations({ db, engine }: Store): Promise<readonly string[]> {
  const table =
    engine === "sqlite"
      ? sql`select 1 from sqlite_master where name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`;
  if ((await table.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

function kyselyMigrations(migrations: readonly Migration[], engine: Store["engine"]) {
  return Object.fromEntries(
    migrations.map(({ name, statements }) => [
      name,
      {
        up: async (db: Store["db"]) => {
          // Large tables take long.
          if (engine === "postgres") await sql`set local statement_timeout = 0`.execute(db);
          for (const statement of statements(columnTypes[engine])) await sql.raw(statement).execute(db);
        },
      },
    ]),
  );
}

async function currentSchema({ db }: Store): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? "public";
}
