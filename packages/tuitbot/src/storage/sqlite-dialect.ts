import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { StorageError } from "./storage-error.ts";

/** Kysely's SQLite on Node's own `node:sqlite`. Kysely runs one query or transaction at a time on its connection. */
export function sqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new NodeSqliteDriver(path),
  };
}

export function sqliteError(error: unknown): StorageError {
  const { message } = error as { readonly message?: string };
  return new StorageError(isBusy(error) ? "busy" : "failed", message ?? "unknown error", { cause: error });
}

/**
 * Tries again while another connection holds the lock. SQLite can wait by itself, but it would block this process,
 * and deadlock if the lock is held in this process.
 */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !isBusy(error)) throw error;
      await setTimeout(Math.min(tries, MAX_PAUSE_MS));
    }
  }
}

/** About five seconds in all. */
const MAX_TRIES = 260;
const MAX_PAUSE_MS = 20;

/** The low byte is SQLite's primary result code: 5 is BUSY, 6 is LOCKED. */
function isBusy(error: unknown): boolean {
  const primary = ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff;
  return primary === 5 || primary === 6;
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** SQLite does; with it, Kysely's migrator reads and writes in one transaction, which also locks out others. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver extends SqliteDriver {
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    super({
      database: async () => {
        this.#database = openSqlite(path);
        return withStatementCache(this.#database);
      },
    });
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A transaction that begins by reading could find later that it may not write.
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back by itself when the disk is full.
    if (this.#database?.isOpen && !this.#database.isTransaction) return;
    await super.rollbackTransaction(connection);
  }
}

/**
 * `synchronous = normal`: a write reaches the operating system before it counts, so nothing is lost when a process is
 * killed; `full` would also survive a power cut, at the price of a disk flush per write.
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

function withStatementCache(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const cached = statements.get(sql);
      if (cached !== undefined) return cached;
      const statement = database.prepare(sql);
      const prepared: SqliteStatement = {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...inputs(parameters)),
        run: (parameters) => statement.run(...inputs(parameters)),
        iterate: (parameters) => statement.iterate(...inputs(parameters)),
      };
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statements.set(sql, prepared);
      return prepared;
    },
  };
}

/** Every column and condition of ours is a number, a text or null. */
function inputs(parameters: readonly unknown[]): readonly SQLInputValue[] {
  return parameters as readonly SQLInputValue[];
}

/** Far more than this product has; queries with lists of different lengths are different statements. */
const MAX_STATEMENTS = 500;
