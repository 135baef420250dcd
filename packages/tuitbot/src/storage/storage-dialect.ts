import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from "kysely";
import { StorageError } from "./storage-error.ts";

export interface StorageDialect {
  readonly dialect: Dialect;
  /** The one that the dialect makes. */
  readonly driver: Driver;
  /** Closes the database. Queries that are still running fail as they do when the database is gone. */
  readonly close: () => Promise<void>;
}

export interface EngineRules {
  readonly dialect: Dialect;
  readonly toStorageError: (error: unknown) => StorageError;
  /** Runs one statement, again where the engine wants that. */
  readonly attempt?: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Kysely's driver of an engine, with every error turned into a `StorageError` and texts that either engine takes. Like
 * Kysely's own logging it replaces methods: a driver recognises its connections, so they cannot be wrapped.
 */
export function storageDialect({
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
