import { type BigIntStats, closeSync, fdatasync, fstatSync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { fileError, StorageError } from "./storage-error.ts";

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
