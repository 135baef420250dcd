import type { SqlDatabase } from "@toolpact/contract/guards";
import { CompiledQuery } from "kysely";
import type { Store } from "./store.ts";

/** For library parts with their own tables, such as the sign-in of clients. */
export function sqlDatabase(open: () => Promise<Store>): SqlDatabase {
  return {
    serial: "",
    async transact(scope, work) {
      const store = await open();
      const isPostgres = store.engine === "postgres";
      return store.transaction(async (db) => {
        const run = async (statement: string, values: readonly (string | number | null)[] = []) => {
          const text = isPostgres ? numbered(statement) : statement;
          const { rows } = await db.executeQuery<Record<string, string | number | null>>(
            CompiledQuery.raw(text, [...values]),
          );
          return rows;
        };
        if (isPostgres)
          await run("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`tuitbot ${scope}`]);
        return work(run);
      });
    },
    // The server closes it.
    close: async () => {},
  };
}

/** `$1`, `$2`, … for `?`; no statement has one in a text. */
function numbered(statement: string): string {
  let count = 0;
  return statement.replaceAll("?", () => `$${++count}`);
}
