import type { Outcome } from "@toolpact/contract/outcome";
import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Store } from "./store.ts";

/** A transaction that is taken back when it fails, and says why. */
export async function transact<T, F>(
  store: Store,
  work: (db: Kysely<Database>) => Promise<Outcome<T, F>>,
): Promise<Outcome<T, F>> {
  let outcome: Outcome<T, F> | undefined;
  try {
    return await store.transaction(async (db) => {
      outcome = await work(db);
      // Kysely takes a transaction back only when its work throws.
      if (!outcome.ok) throw new TakenBack();
      return outcome;
    });
  } catch (error) {
    if (error instanceof TakenBack && outcome !== undefined) return outcome;
    throw error;
  }
}

class TakenBack extends Error {}
