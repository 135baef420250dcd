import type { Outcome } from "@toolpact/outcome";
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  isAbortedTransactionError,
  type Kysely,
  type QueryResult,
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

  async function attempt<T>(connection: DatabaseConnection, work: (db: Kysely<Database>) => Promise<T>) {
    let isOver = false;
    const provideConnection = async <R>(use: (connection: DatabaseConnection) => Promise<R>) => {
      // A statement still running after another has failed would write outside the transaction, or into the next.
      if (isOver) throw new StorageError("failed", "The transaction of this statement has ended.");
      return use(connection);
    };
    const executing = executor.withConnectionProvider({ provideConnection });
    const transaction = new Transaction<Database>({
      config: { dialect },
      driver,
      dialect,
      executor: executing,
    });
    await driver.beginTransaction(connection, {});
    try {
      const result = await work(transaction);
      const last = withCommitOf.get(transaction) ?? [];
      // PostgreSQL leaves out a commit behind a statement that failed, SQLite would carry it out.
      if (engine === "sqlite") await Promise.all(last);
      await Promise.all([...last, driver.commitTransaction(connection)]);
      isOver = true;
      return result;
    } catch (error) {
      isOver = true;
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

/** PostgreSQL ends one of two deadlocked transactions, which has to start again. SQLite waits. */
const MAX_TRIES: Readonly<Record<Engine, number>> = { sqlite: 1, postgres: 10 };

/**
 * Marks statements at the end of a transaction whose answers nothing in it waits for: they are sent with the commit. If
 * one fails, so does the transaction.
 */
export function withCommit(db: Kysely<Database>, ...statements: readonly Promise<unknown>[]): void {
  // The commit reports the failure.
  for (const statement of statements) statement.catch(() => {});
  withCommitOf.set(db, [...(withCommitOf.get(db) ?? []), ...statements]);
}

const withCommitOf = new WeakMap<Kysely<Database>, readonly Promise<unknown>[]>();

/** A transaction that is rolled back if its work answers with a failure. */
export async function transact<T, F>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<Outcome<T, F>>,
): Promise<Outcome<T, F>> {
  let outcome: Outcome<T, F> | undefined;
  try {
    return await store.transaction(async (db) => {
      outcome = await work(db);
      // Kysely rolls back only if the work throws.
      if (!outcome.ok) throw new RolledBack();
      return outcome;
    });
  } catch (error) {
    if (error instanceof RolledBack && outcome !== undefined) return outcome;
    throw error;
  }
}

class RolledBack extends Error {}

/** A query that is run with different values each time, always with the same keys. */
export type Prepared<V, R> = (db: Kysely<Database>, values: V) => Promise<QueryResult<R>>;

/**
 * A query that Kysely compiles once per engine, because compiling takes longer than running it in SQLite. Its form must
 * not depend on the values.
 *
 * @example
 * const isThere = prepared((db, the: { readonly id: string }) =>
 *   db.selectFrom("receipts").select("id").where("id", "=", the.id),
 * );
 * const { rows } = await isThere(store.db, { id: "r1" });
 */
export function prepared<V extends object, R>(
  build: (db: Kysely<Database>, the: V) => Compilable<R>,
): Prepared<V, R> {
  const built = new WeakMap<DialectAdapter, CompiledQuery<R>>();
  return (db, values) => {
    const executor = db.getExecutor();
    const { adapter } = executor;
    let query = built.get(adapter);
    if (query === undefined) {
      query = build(db, placeholdersFor(values)).compile();
      built.set(adapter, query);
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof V] : parameter,
    );
    const statement = { ...query, parameters };
    // Not `db.executeQuery`, which asks the plugins what they make of the rows: ours leave them as they are.
    return executor.provideConnection((connection) => connection.executeQuery<R>(statement));
  };
}

/** Placeholder for a value while the query is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeholdersFor<V extends object>(values: V): V {
  // Kysely passes values on to the parameters unchanged, whatever they are.
  return Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)])) as V;
}
