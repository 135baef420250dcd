import type { Outcome } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Store } from "./store.ts";

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
