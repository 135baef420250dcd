import { open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type Logger,
} from "kysely";
import { accountCheck } from "./account-check.ts";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import type { PostgresOptions } from "./postgres-dialect.ts";
import { fileError, StorageError } from "./storage-error.ts";
import type { Store } from "./store.ts";
import { transactionsOn, withCommit } from "./transaction.ts";

/** The location of the database: PostgreSQL if a URL is given, otherwise a SQLite file. */
export interface StorePlace {
  readonly url?: string | undefined;
  /** `:memory:` for a database that ends with the process. */
  readonly path: string;
  /** For PostgreSQL. */
  readonly postgres?: PostgresOptions;
  /** Fills it once it is open, such as with a copy of another one. */
  readonly fill?: (store: Store) => Promise<void>;
}

export interface OpenOptions {
  readonly now: () => number;
  /** Rejects statements that do not filter by account; for everything that works for an account. */
  readonly checksAccounts?: boolean;
  /** Gets every statement, for tests. */
  readonly log?: Logger;
}

/** Opens the database and migrates its tables. The failure's message is for the operator. */
export async function openStore(
  place: StorePlace,
  { now, ...options }: OpenOptions,
): Promise<Outcome<Store, StorageError>> {
  const isPostgres = place.url !== undefined;
  try {
    if (!isPostgres && place.path !== MEMORY) await createPrivateFile(place.path);
    const store = await connectStore(place, options);
    const migrated = await migrate(store, { now, ...(place.path !== MEMORY && { file: place.path }) });
    if (migrated.ok) {
      await place.fill?.(store);
      return ok(store);
    }
    await store.close();
    return failed(new StorageError("failed", migrated.failure));
  } catch (error) {
    if (!(error instanceof StorageError) && !isSystemError(error)) throw error;
    const where = isPostgres ? "The PostgreSQL of storage.url" : `The database ${place.path}`;
    const message = `${where} cannot be used: ${why(error)}.`;
    return failed(
      error instanceof StorageError
        ? new StorageError(error.kind, message, { cause: error })
        : fileError(error, message),
    );
  }
}

/** The system's message without the path, which the caller adds. */
function why(error: Error): string {
  if (isSystemError(error) && error.errno !== undefined)
    return `${getSystemErrorMessage(error.errno)} (${error.code})`;
  return error.message.replace(/\.$/, "");
}

/** Makes the file readable only by its owner. SQLite gives the files next to it the same permissions. */
async function createPrivateFile(path: string): Promise<void> {
  await makeFolder(dirname(path));
  const existing = await stat(path).catch(() => undefined);
  // Opening a pipe would wait for ever for somebody at its other end.
  if (existing !== undefined && !existing.isFile()) throw new StorageError("denied", "it is not a file");
  const file = await open(path, "a", 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

const MEMORY = ":memory:";

/** Opens the database without migrating it. */
export async function connectStore(
  { url, path, postgres }: StorePlace,
  options: Omit<OpenOptions, "now"> = {},
): Promise<Store> {
  // Only the driver in use is loaded.
  if (url !== undefined) {
    const { onDisk, postgresDialect, postgresError } = await import("./postgres-dialect.ts");
    const { dialect, pool } = postgresDialect(url, postgres);
    const driver = storageDialect({ dialect, toStorageError: postgresError });
    const store = storeOn("postgres", driver, options);
    return {
      ...store,
      pool,
      durableTransaction: (work) =>
        store.transaction((db) => {
          withCommit(db, db.executeQuery(onDisk));
          return work(db);
        }),
    };
  }
  const { SqliteFiles, sqliteDialect, sqliteError, whenFree } = await import("./sqlite-dialect.ts");
  const files = path === MEMORY ? undefined : new SqliteFiles(path);
  const dialect = sqliteDialect(path, () => files?.noteOpened());
  const driver = storageDialect({ dialect, toStorageError: sqliteError, attempt: whenFree });
  const store = storeOn("sqlite", driver, options);
  if (files === undefined) return store;
  return {
    ...store,
    async durableTransaction(work) {
      const result = await store.transaction(work);
      await files.sync();
      return result;
    },
    check: () => files.check(),
  };
}

function storeOn(
  engine: Store["engine"],
  { dialect, driver, close }: StorageDialect,
  { checksAccounts = false, log }: Omit<OpenOptions, "now">,
): Store {
  const db = new Kysely<Database>({
    dialect,
    ...(checksAccounts && { plugins: [accountCheck] }),
    ...(log !== undefined && { log }),
  });
  const transaction = transactionsOn(engine, db, { driver, dialect });
  return {
    engine,
    db,
    transaction,
    durableTransaction: transaction,
    check: async () => {},
    // Not `db.destroy()`, after which running queries fail with errors of Kysely that are no StorageError.
    close,
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

interface StorageDialect {
  readonly dialect: Dialect;
  /** The one that the dialect makes. */
  readonly driver: Driver;
  /** Closes the database. Queries still running fail as if the database had disappeared. */
  readonly close: () => Promise<void>;
}

interface EngineRules {
  readonly dialect: Dialect;
  readonly toStorageError: (error: unknown) => StorageError;
  /** Runs one statement, again where the engine wants that. */
  readonly attempt?: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Kysely's driver of an engine, with every error turned into a `StorageError` and texts that either engine takes. Like
 * Kysely's own logging it replaces methods: a driver recognises its connections, so they cannot be wrapped.
 */
function storageDialect({
  dialect,
  toStorageError,
  attempt = (work) => work(),
}: EngineRules): StorageDialect {
  const driver = dialect.createDriver();
  const init = driver.init.bind(driver);
  const acquireConnection = driver.acquireConnection.bind(driver);
  const known = new WeakSet<DatabaseConnection>();
  let state: "new" | "open" | "closed" = "new";

  async function safely<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await attempt(work);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  driver.init = async () => {
    await safely(init);
    state = "open";
  };
  driver.acquireConnection = async () => {
    // Also when closed: Kysely would wait for ever for the only connection of SQLite if this failed.
    const connection = await safely(acquireConnection);
    if (known.has(connection)) return connection;
    known.add(connection);
    const executeQuery = connection.executeQuery.bind(connection);
    connection.executeQuery = async <R>(query: CompiledQuery) => {
      if (state === "closed") throw new StorageError("unreachable", "The database is closed.");
      return safely(() => executeQuery<R>(withoutNul(query)));
    };
    return connection;
  };
  return {
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => driver,
    },
    driver,
    async close() {
      const isOpen = state === "open";
      state = "closed";
      if (isOpen) await driver.destroy();
    },
  };
}

/** PostgreSQL refuses U+0000 in a text, which people and models may send. */
function withoutNul(query: CompiledQuery): CompiledQuery {
  if (!query.parameters.some(hasNul)) return query;
  const parameters = query.parameters.map((value) =>
    hasNul(value) ? value.replaceAll("\0", "\ufffd") : value,
  );
  return { ...query, parameters };
}

function hasNul(value: unknown): value is string {
  return typeof value === "string" && value.includes("\0");
}
