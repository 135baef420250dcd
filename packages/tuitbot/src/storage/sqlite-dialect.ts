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

/** Runs one query or transaction at a time. */
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

const PRIMARY = 0xff;

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

/** While another connection holds the lock. SQLite's own wait would block this process, and could deadlock. */
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

/** About five seconds. */
const MAX_TRIES = 260;
const MAX_PAUSE_MS = 20;

function isBusy(error: unknown): boolean {
  return sqliteError(error).kind === "busy";
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** Kysely's migrator then uses one transaction, which locks others out. */
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
    // A transaction that begins with a read may fail to write later.
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back itself on a full disk.
    if (this.#database?.isOpen && !this.#database.isTransaction) return;
    await super.rollbackTransaction(connection);
  }
}

/** `synchronous = normal` survives a killed process. `SqliteFiles` flushes what must survive a power cut. */
function openSqlite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    // Only a new file can shrink later.
    const [pages] = database.prepare("PRAGMA page_count").all();
    if (pages?.page_count === 0) database.exec("PRAGMA auto_vacuum = incremental;");
    // Opens both files. The log is copied every 60 posts instead of every 16, up to 16 MB.
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

/** Columns are numbers, texts or null. */
function inputs(parameters: readonly unknown[]): readonly SQLInputValue[] {
  return parameters as readonly SQLInputValue[];
}

/** Queries with lists of other lengths are other statements. */
const MAX_STATEMENTS = 500;

/** Database and log. Checks are so short that another thread would take longer. */
export class SqliteFiles {
  readonly #paths: readonly [database: string, log: string];
  #opened: readonly string[] | undefined;

  constructor(path: string) {
    this.#paths = [path, `${path}-wal`];
  }

  noteOpened(): void {
    this.#opened = this.#paths.map((path) => identity(statSync(path, BIGINT)));
  }

  /** Writes to a deleted or replaced file would be lost. */
  async check(): Promise<void> {
    try {
      this.#compare(this.#paths.map((path) => statSync(path, BIGINT)));
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** Committed work is on disk, in the current files. */
  async sync(): Promise<void> {
    const [database, log] = this.#paths;
    let file: number | undefined;
    try {
      // Safe for the log, because SQLite's locks are on other files.
      file = openSync(log, "r+");
      this.#compare([statSync(database, BIGINT), fstatSync(file, BIGINT)]);
      // Others are served meanwhile.
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
