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

/** PostgreSQL for a URL, otherwise SQLite. */
export interface StorePlace {
  readonly url?: string | undefined;
  /** `:memory:` ends with the process. */
  readonly path: string;
  readonly postgres?: PostgresOptions;
  /** Once open, for example with a copy. */
  readonly fill?: (store: Store) => Promise<void>;
}

export interface OpenOptions {
  readonly now: () => number;
  /** For everything that works for an account. */
  readonly checksAccounts?: boolean;
  readonly log?: Logger;
}

/** Migrates the tables. Failures are for the operator. */
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

/** Without the path. */
function why(error: Error): string {
  if (isSystemError(error) && error.errno !== undefined)
    return `${getSystemErrorMessage(error.errno)} (${error.code})`;
  return error.message.replace(/\.$/, "");
}

/** SQLite copies the permissions to its other files. */
async function createPrivateFile(path: string): Promise<void> {
  await makeFolder(dirname(path));
  const existing = await stat(path).catch(() => undefined);
  // Opening a pipe would block.
  if (existing !== undefined && !existing.isFile()) throw new StorageError("denied", "it is not a file");
  const file = await open(path, "a", 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

const MEMORY = ":memory:";

/** Without migration. */
export async function connectStore(
  { url, path, postgres }: StorePlace,
  options: Omit<OpenOptions, "now"> = {},
): Promise<Store> {
  // Loads only the driver in use.
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
    // After `db.destroy()`, running queries would fail with Kysely's own errors.
    close,
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

interface StorageDialect {
  readonly dialect: Dialect;
  readonly driver: Driver;
  /** Running queries fail as without a database. */
  readonly close: () => Promise<void>;
}

interface EngineRules {
  readonly dialect: Dialect;
  readonly toStorageError: (error: unknown) => StorageError;
  /** Retries as the engine requires. */
  readonly attempt?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Turns errors into `StorageError`. Replaces methods, because a driver recognizes its connections. */
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
    // Even when closed: Kysely would wait forever for SQLite's only connection.
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

/** PostgreSQL rejects U+0000, which people and models may send. */
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
