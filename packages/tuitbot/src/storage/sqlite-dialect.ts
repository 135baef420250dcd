import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { StorageError } from "./storage-error.ts";

/** Kysely on Node's own SQLite. Kysely itself lets one piece of work at a time use the connection. */
export function sqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new NodeSqliteDriver(path),
  };
}

/**
 * Opens a file as every process does. Writes reach the operating system before they count, so nothing is lost when
 * a process is killed; `synchronous = full` would also outlive a power cut, for a disk flush per write.
 */
function openSqlite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    database.exec("PRAGMA journal_mode = wal; PRAGMA synchronous = normal;");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

export function sqliteError(error: unknown): StorageError {
  const { message } = error as { readonly message?: string };
  return new StorageError(isBusy(error) ? "busy" : "failed", message ?? "unknown error", { cause: error });
}

/** The low byte is SQLite's primary result code: 5 is BUSY, 6 is LOCKED. */
function isBusy(error: unknown): boolean {
  const primary = ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff;
  return primary === 5 || primary === 6;
}

/**
 * Waits for whoever holds the lock. SQLite could wait by itself, but it would hold up this whole process with it,
 * and for ever if the lock is held in this process.
 */
async function whenFree<T>(work: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (tries === MOST_TRIES || !isBusy(error)) throw error;
      await setTimeout(Math.min(tries, LONGEST_PAUSE_MS));
    }
  }
}

/** About five seconds in all. */
const MOST_TRIES = 260;
const LONGEST_PAUSE_MS = 20;

class NodeSqliteDriver implements Driver {
  readonly #path: string;
  #connection: NodeSqliteConnection | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {
    this.#connection = new NodeSqliteConnection(await whenFree(() => openSqlite(this.#path)));
  }

  async acquireConnection(): Promise<NodeSqliteConnection> {
    if (this.#connection === undefined) throw new Error("The driver was not initialised.");
    return this.#connection;
  }

  async beginTransaction(connection: NodeSqliteConnection): Promise<void> {
    // Immediate: a transaction that first reads and then wants to write could find that it may not.
    await whenFree(() => connection.run("begin immediate"));
  }

  async commitTransaction(connection: NodeSqliteConnection): Promise<void> {
    connection.run("commit");
  }

  async rollbackTransaction(connection: NodeSqliteConnection): Promise<void> {
    connection.rollBack();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection?.close();
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return whenFree(() => this.#execute<R>(query));
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, hasRows } = this.#prepared(sql);
    // Every column and condition of ours is a number, a text or null.
    const values = parameters as readonly SQLInputValue[];
    if (hasRows) {
      // Kysely's types say which columns a statement answers with.
      const rows = statement.all(...values) as R[];
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  run(sql: string): void {
    this.#prepared(sql).statement.run();
  }

  rollBack(): void {
    // Where the disk is full, SQLite has done so by itself.
    if (this.#database.isTransaction) this.run("rollback");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Far more than this product has; queries with lists of different lengths are different statements. */
const MOST_STATEMENTS = 500;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}
