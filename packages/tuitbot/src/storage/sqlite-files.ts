import { type BigIntStats, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileError, StorageError } from "./storage-error.ts";

/** The files of an open SQLite database: the database and its write-ahead log. */
export class SqliteFiles {
  readonly #paths: readonly [database: string, log: string];
  #opened: readonly string[] | undefined;

  constructor(path: string) {
    this.#paths = [path, `${path}-wal`];
  }

  /** Remembers which files were opened. */
  noteOpened(): void {
    this.#opened = this.#paths.map((path) => identity(statSync(path, { bigint: true })));
  }

  /** Fails if a file was deleted or replaced: what is written now would go to a file that nobody opens again. */
  async check(): Promise<void> {
    const found = await Promise.all(this.#paths.map((path) => stat(path, { bigint: true }))).catch(refuse);
    this.#compare(found);
  }

  /** Returns when everything that was committed is on the disk, in the files that the next process will open. */
  async sync(): Promise<void> {
    const [database, log] = this.#paths;
    try {
      // Unlike the database, the log may be opened and closed here: SQLite's locks are on the other files.
      await using file = await open(log, "r+");
      this.#compare([await stat(database, { bigint: true }), await file.stat({ bigint: true })]);
      await file.datasync();
    } catch (error) {
      throw error instanceof StorageError ? error : refuse(error);
    }
  }

  #compare(found: readonly BigIntStats[]): void {
    if (found.some((file, index) => identity(file) !== this.#opened?.[index])) throw replaced();
  }
}

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function refuse(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  throw code === "ENOENT" ? replaced() : fileError(error as NodeJS.ErrnoException, message);
}

function replaced(): StorageError {
  return new StorageError("replaced", "The database file was deleted or replaced.");
}
