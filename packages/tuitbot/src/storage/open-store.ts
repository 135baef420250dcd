import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { Kysely, type Logger } from "kysely";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { type StorageDialect, storageDialect } from "./storage-dialect.ts";
import { StorageError } from "./storage-error.ts";
import type { Store } from "./store.ts";

/** Where the database is: PostgreSQL if a URL is given, otherwise a SQLite file. */
export interface StorePlace {
  readonly url?: string | undefined;
  /** `:memory:` for a database that ends with the process. */
  readonly path: string;
}

export interface OpenOptions {
  readonly now: () => number;
  /** Gets every statement, for tests. */
  readonly log?: Logger;
}

/** Opens the database and brings its tables up to date. The failure is a message for the operator. */
export async function openStore(
  place: StorePlace,
  { now, log }: OpenOptions,
): Promise<Outcome<Store, string>> {
  const isPostgres = place.url !== undefined;
  try {
    if (!isPostgres && place.path !== MEMORY) await createPrivateFile(place.path);
    const store = await connectStore(place, log);
    const migrated = await migrate(store, { now, ...(place.path !== MEMORY && { file: place.path }) });
    if (migrated.ok) return ok(store);
    await store.close();
    return migrated;
  } catch (error) {
    if (!(error instanceof StorageError) && !isSystemError(error)) throw error;
    const where = isPostgres ? "The PostgreSQL of storage.url" : `The database ${place.path}`;
    return failed(`${where} cannot be used: ${why(error)}.`);
  }
}

/** The system's message without the path, which the caller adds. */
function why(error: Error): string {
  if (isSystemError(error) && error.errno !== undefined)
    return `${getSystemErrorMessage(error.errno)} (${error.code})`;
  return error.message.replace(/\.$/, "");
}

/** Makes the file readable only by its owner. SQLite gives the files beside it the same permissions. */
async function createPrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "a", 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

const MEMORY = ":memory:";

/** Opens the database without migrating it. */
export async function connectStore({ url, path }: StorePlace, log?: Logger): Promise<Store> {
  // Only the driver in use is loaded.
  if (url !== undefined) {
    const { postgresDialect, postgresError } = await import("./postgres-dialect.ts");
    return storeOn(
      "postgres",
      storageDialect({ dialect: postgresDialect(url), toStorageError: postgresError }),
      log,
    );
  }
  const { sqliteDialect, sqliteError, whenFree } = await import("./sqlite-dialect.ts");
  return storeOn(
    "sqlite",
    storageDialect({ dialect: sqliteDialect(path), toStorageError: sqliteError, attempt: whenFree }),
    log,
  );
}

function storeOn(engine: Store["engine"], { dialect, close }: StorageDialect, log?: Logger): Store {
  const db = new Kysely<Database>({ dialect, ...(log !== undefined && { log }) });
  return {
    engine,
    db,
    transaction: (work) => inTransaction(db, work, MAX_TRIES[engine]),
    // Not `db.destroy()`, after which running queries fail with errors of Kysely that are no StorageError.
    close,
  };
}

/** PostgreSQL ends one of two deadlocked transactions, which has to start again. SQLite waits. */
const MAX_TRIES: Readonly<Record<Store["engine"], number>> = { sqlite: 1, postgres: 10 };

async function inTransaction<T>(
  db: Kysely<Database>,
  work: (db: Kysely<Database>) => Promise<T>,
  triesLeft: number,
): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    const canRetry = error instanceof StorageError && error.kind === "busy" && triesLeft > 1;
    if (!canRetry) throw error;
    return inTransaction(db, work, triesLeft - 1);
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
