import type { Compilable, CompiledQuery, DialectAdapter, Kysely, QueryResult } from "kysely";
import type { Database } from "./database.ts";

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

/** Stands for a value while the query is compiled. */
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
