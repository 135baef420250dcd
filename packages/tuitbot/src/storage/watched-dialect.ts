import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from "kysely";
import { StorageError } from "./storage-error.ts";

/** What happens to a database, in the order in which it happens. */
export interface DatabaseWatch {
  /** Before a statement is carried out. `begin` and `commit` are statements too. */
  readonly before?: (statement: string) => void;
  readonly after?: (statement: string) => void;
}

export interface WatchedDialect {
  readonly dialect: Dialect;
  /** Lets go of the database. What is still under way then fails like with any database that is gone. */
  readonly close: () => Promise<void>;
}

/**
 * The dialect with every error of its driver turned into a `StorageError`, a watch on what it does, and texts that
 * either engine takes.
 */
export function watchedDialect(
  dialect: Dialect,
  toStorageError: (error: unknown) => StorageError,
  watch: DatabaseWatch = {},
): WatchedDialect {
  const driver = new WatchedDriver(dialect.createDriver(), toStorageError, watch);
  return {
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => driver,
    },
    close: () => driver.close(),
  };
}

class WatchedDriver implements Driver {
  readonly #driver: Driver;
  readonly #toStorageError: (error: unknown) => StorageError;
  readonly #watch: DatabaseWatch;
  readonly #watched = new WeakMap<DatabaseConnection, WatchedConnection>();
  #isInitialised = false;
  #isClosed = false;

  constructor(driver: Driver, toStorageError: (error: unknown) => StorageError, watch: DatabaseWatch) {
    this.#driver = driver;
    this.#toStorageError = toStorageError;
    this.#watch = watch;
  }

  async init(): Promise<void> {
    await this.#carryOut(undefined, () => this.#driver.init());
    this.#isInitialised = true;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#carryOut(undefined, () => this.#driver.acquireConnection());
    const known = this.#watched.get(connection);
    if (known !== undefined) return known;
    const watched = new WatchedConnection(connection, (statement, work) => this.#carryOut(statement, work));
    this.#watched.set(connection, watched);
    return watched;
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#carryOut("begin", () => this.#driver.beginTransaction(inner(connection), settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#carryOut("commit", () => this.#driver.commitTransaction(inner(connection)));
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#carryOut("rollback", () => this.#driver.rollbackTransaction(inner(connection)));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(inner(connection));
  }

  destroy(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isInitialised) await this.#driver.destroy();
  }

  async #carryOut<T>(statement: string | undefined, work: () => Promise<T>): Promise<T> {
    if (statement !== undefined) {
      // Not for connections: Kysely would wait for ever for the only one of SQLite if it could not be had.
      if (this.#isClosed) throw new StorageError("unreachable", "The database is closed.");
      this.#watch.before?.(statement);
    }
    let done: T;
    try {
      done = await work();
    } catch (error) {
      throw this.#toStorageError(error);
    }
    if (statement !== undefined) this.#watch.after?.(statement);
    return done;
  }
}

class WatchedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection;
  readonly #carryOut: <T>(statement: string, work: () => Promise<T>) => Promise<T>;

  constructor(
    connection: DatabaseConnection,
    carryOut: <T>(statement: string, work: () => Promise<T>) => Promise<T>,
  ) {
    this.connection = connection;
    this.#carryOut = carryOut;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#carryOut(query.sql, () => this.connection.executeQuery<R>(storable(query)));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.connection.streamQuery(query, chunkSize);
  }
}

/** PostgreSQL refuses U+0000 in a text, which people and models may send. */
function storable(query: CompiledQuery): CompiledQuery {
  if (!query.parameters.some(hasNul)) return query;
  const parameters = query.parameters.map((value) =>
    hasNul(value) ? value.replaceAll("\0", "\ufffd") : value,
  );
  return { ...query, parameters };
}

function hasNul(value: unknown): value is string {
  return typeof value === "string" && value.includes("\0");
}

function inner(connection: DatabaseConnection): DatabaseConnection {
  return connection instanceof WatchedConnection ? connection.connection : connection;
}
