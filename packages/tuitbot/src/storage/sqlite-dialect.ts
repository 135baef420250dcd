import { type BigIntStats, closeSync, fdatasync, fstatSync, openSync, statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
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
import { fileError, StorageError, type StorageTrouble } from "./storage-error.ts";

/** Kysely's SQLite on Node's own `node:sqlite`. Kysely runs one query or transaction at a time on its connection. */
export function sqliteDialect(path: string, onOpen: () => void): Dialect {
  return {
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new NodeSqliteDriver(path, onOpen),
  };
}

export function sqliteError(error: unknown): StorageError {
  const { message, errcode = 0 } = error as { readonly message?: string; readonly errcode?: number };
  const kind = TROUBLES.get(errcode) ?? TROUBLES.get(errcode & PRIMARY) ?? "failed";
  return new StorageError(kind, message ?? "unknown error", { cause: error });
}

/** The low byte of a result code is the primary one. */
const PRIMARY = 0xff;

/** By SQLite's result codes. */
const TROUBLES: ReadonlyMap<number, StorageTrouble> = new Map([
  [3, "denied"], // PERM
  [5, "busy"],
  [6, "busy"], // LOCKED
  [8, "denied"], // READONLY
  [8 | (4 << 8), "replaced"], // READONLY_DBMOVED
  [10 | (19 << 8), "full"], // IOERR_SHMSIZE: the file next to the database cannot grow
  [11, "damaged"], // CORRUPT
  [13, "full"],
  [14, "denied"], // CANTOPEN
  [26, "damaged"], // NOTADB
]);

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

function isBusy(error: unknown): boolean {
  return sqliteError(error).kind === "busy";
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** SQLite does; with it, Kysely's migrator reads and writes in one transaction, which also locks out others. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver extends SqliteDriver {
  #database: DatabaseSync | undefined;

  constructor(path: string, onOpen: () => void) {
    super({
      database: async () => {
        this.#database = openSqlite(path);
        onOpen();
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
 * killed. What has to survive a power cut is flushed to the disk by `SqliteFiles`.
 */
function openSqlite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    // A new file can give back the space of what is deleted. Of others this would only write the header anew.
    const [pages] = database.prepare("PRAGMA page_count").all();
    if (pages?.page_count === 0) database.exec("PRAGMA auto_vacuum = incremental;");
    // The first query opens the log, so both files exist from here on. A post writes about 60 pages:
    // the log is copied into the database every 60 posts instead of every 16, and has up to 16 MB until then.
    database.exec(
      "PRAGMA journal_mode = wal; PRAGMA synchronous = normal; PRAGMA wal_autocheckpoint = 4000; SELECT 1 FROM sqlite_schema;",
    );
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

/**
 * The files of an open SQLite database: the database and its write-ahead log. A look at them is so short that handing it
 * to another thread would take many times as long; SQLite reads and writes them in this one too.
 */
export class SqliteFiles {
  readonly #paths: readonly [database: string, log: string];
  #opened: readonly string[] | undefined;

  constructor(path: string) {
    this.#paths = [path, `${path}-wal`];
  }

  /** Remembers which files were opened. */
  noteOpened(): void {
    this.#opened = this.#paths.map((path) => identity(statSync(path, BIGINT)));
  }

  /** Fails if a file was deleted or replaced: what is written now would go to a file that nobody opens again. */
  async check(): Promise<void> {
    try {
      this.#compare(this.#paths.map((path) => statSync(path, BIGINT)));
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** Returns when everything that was committed is on the disk, in the files that the next process will open. */
  async sync(): Promise<void> {
    const [database, log] = this.#paths;
    let file: number | undefined;
    try {
      // Unlike the database, the log may be opened and closed here: SQLite's locks are on the other files.
      file = openSync(log, "r+");
      this.#compare([statSync(database, BIGINT), fstatSync(file, BIGINT)]);
      // The disk takes its time, in which others are served.
      await flush(file);
    } catch (error) {
      throw asStorageError(error);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #compare(found: readonly BigIntStats[]): void {
    if (found.some((file, index) => identity(file) !== this.#opened?.[index])) throw replaced();
  }
}

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

const BIGINT = { bigint: true } as const;

const flush = promisify(fdatasync);

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  // The file system throws nothing else.
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? replaced() : fileError(error as NodeJS.ErrnoException, message);
}

function replaced(): StorageError {
  return new StorageError("replaced", "The database file was deleted or replaced.");
}
