import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  isAbortedTransactionError,
  type Kysely,
  Transaction,
} from "kysely";
import type { Database } from "./database.ts";
import { StorageError } from "./storage-error.ts";
import type { Engine, Store } from "./store.ts";

/**
 * Transactions as Kysely has them, but for two things: statements that do not wait for each other's answers are sent
 * together, and the commit goes out with the last of them (`withCommit`).
 */
export function transactionsOn(
  engine: Engine,
  db: Kysely<Database>,
  { driver, dialect }: { readonly driver: Driver; readonly dialect: Dialect },
): Store["transaction"] {
  const executor = db.getExecutor();
  const known = new WeakMap<DatabaseConnection, Transaction<Database>>();

  function on(connection: DatabaseConnection): Transaction<Database> {
    let transaction = known.get(connection);
    if (transaction === undefined) {
      const provider = { provideConnection: executeOn(connection) };
      const executing = executor.withConnectionProvider(provider);
      transaction = new Transaction({ config: { dialect }, driver, dialect, executor: executing });
      known.set(connection, transaction);
    }
    return transaction;
  }

  async function attempt<T>(connection: DatabaseConnection, work: (db: Kysely<Database>) => Promise<T>) {
    await driver.beginTransaction(connection, {});
    try {
      const transaction = on(connection);
      // Of one that failed before on the same connection.
      takeLast(transaction);
      const result = await work(transaction);
      const last = takeLast(transaction);
      // PostgreSQL leaves out a commit behind a statement that failed, SQLite would carry it out.
      if (engine === "sqlite") await Promise.all(last);
      await Promise.all([...last, driver.commitTransaction(connection)]);
      return result;
    } catch (error) {
      if (!isAbortedTransactionError(error)) await driver.rollbackTransaction(connection);
      throw error;
    }
  }

  return async (work) => {
    for (let tries = 1; ; tries++)
      try {
        return await executor.provideConnection((connection) => attempt(connection, work));
      } catch (error) {
        const canRetry = error instanceof StorageError && error.kind === "busy" && !error.isFinal;
        if (!canRetry || tries === MAX_TRIES[engine]) throw error;
      }
  };
}

function executeOn(connection: DatabaseConnection) {
  return <T>(consumer: (connection: DatabaseConnection) => Promise<T>) => consumer(connection);
}

/** PostgreSQL ends one of two deadlocked transactions, which has to start again. SQLite waits. */
const MAX_TRIES: Readonly<Record<Engine, number>> = { sqlite: 1, postgres: 10 };

/**
 * Says of statements at the end of a transaction that nothing in it waits for their answers: they go out with the
 * commit. Where one fails, so does the transaction.
 */
export function withCommit(db: Kysely<Database>, ...statements: readonly Promise<unknown>[]): void {
  // Whoever commits sees the failure.
  for (const statement of statements) statement.catch(() => {});
  last.set(db, [...(last.get(db) ?? []), ...statements]);
}

const last = new WeakMap<Kysely<Database>, readonly Promise<unknown>[]>();

function takeLast(db: Kysely<Database>): readonly Promise<unknown>[] {
  const statements = last.get(db) ?? [];
  last.delete(db);
  return statements;
}
