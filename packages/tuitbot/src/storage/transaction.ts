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

/** Kysely's, but independent statements are sent together, and the commit with the last of them (`withCommit`). */
export function transactionsOn(
  engine: Engine,
  db: Kysely<Database>,
  { driver, dialect }: { readonly driver: Driver; readonly dialect: Dialect },
): Store["transaction"] {
  const executor = db.getExecutor();

  async function attempt<T>(connection: DatabaseConnection, work: (db: Kysely<Database>) => Promise<T>) {
    let isOver = false;
    const provideConnection = async <R>(use: (connection: DatabaseConnection) => Promise<R>) => {
      // A statement outliving a failure would write outside the transaction.
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
      // After a failed statement, PostgreSQL skips the commit, but SQLite would run it.
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

/** PostgreSQL ends one of two deadlocked transactions; SQLite waits. */
const MAX_TRIES: Readonly<Record<Engine, number>> = { sqlite: 1, postgres: 10 };

/** Sends final statements with the commit. If one fails, so does the transaction. */
export function withCommit(db: Kysely<Database>, ...statements: readonly Promise<unknown>[]): void {
  // The commit reports the failure.
  for (const statement of statements) statement.catch(() => {});
  withCommitOf.set(db, [...(withCommitOf.get(db) ?? []), ...statements]);
}

const withCommitOf = new WeakMap<Kysely<Database>, readonly Promise<unknown>[]>();

/** A failure rolls back. */
export async function transact<T, F>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<Outcome<T, F>>,
): Promise<Outcome<T, F>> {
  let outcome: Outcome<T, F> | undefined;
  try {
    return await store.transaction(async (db) => {
      outcome = await work(db);
      // Kysely rolls back only for a throw.
      if (!outcome.ok) throw new RolledBack();
      return outcome;
    });
  } catch (error) {
    if (error instanceof RolledBack && outcome !== undefined) return outcome;
    throw error;
  }
}

class RolledBack extends Error {}

/** With other values each time, but the same keys. */
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
    // `db.executeQuery` asks plugins about rows, which ours leave unchanged.
    return executor.provideConnection((connection) => connection.executeQuery<R>(statement));
  };
}

/** While the query is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeholdersFor<V extends object>(values: V): V {
  // Kysely passes values on unchanged.
  return Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)])) as V;
}
