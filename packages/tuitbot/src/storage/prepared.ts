import type { Compilable, CompiledQuery, DialectAdapter, Kysely, QueryResult } from "kysely";
import type { Database } from "./database.ts";

/** A statement that is carried out with other values each time. Always all values that it was first given. */
export type Prepared<V, R> = (db: Kysely<Database>, values: V) => Promise<QueryResult<R>>;

/**
 * A statement that Kysely builds once for each engine: building takes longer than SQLite does. What it looks like
 * must not depend on the values.
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
    const { adapter } = db.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      query = build(db, placesFor(values)).compile();
      built.set(adapter, query);
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Place ? values[parameter.name as keyof V] : parameter,
    );
    return db.executeQuery({ ...query, parameters });
  };
}

/** Where a value goes. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placesFor<V extends object>(values: V): V {
  // Kysely hands values through to the parameters as they are, whatever they are.
  return Object.fromEntries(Object.keys(values).map((name) => [name, new Place(name)])) as V;
}
