import type { RunSql, SqlDatabase, SqlRow, SqlValue } from "./sql.ts";

const MAX_CONNECTIONS = 4;
/** The type of `bigint`, which pg returns as text. */
const BIGINT = 20;
const NUMERIC = 1700;

/**
 * Opens a PostgreSQL database. Requires the package `pg`.
 *
 * ```ts
 * const storage = await openSqlStorage(await openPostgres("postgres://localhost/guards"), { scope: "notes", key });
 * ```
 */
export async function openPostgres(url: string): Promise<SqlDatabase> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    types: {
      // Stored numbers are whole and below 2^53.
      getTypeParser: ((oid: number, format?: "text") =>
        oid === BIGINT || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  });
  // A broken idle connection is replaced on next use.
  pool.on("error", () => {});
  return {
    serial: "bigint generated always as identity primary key",
    async transact(scope, work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      const run: RunSql = async (statement, values = []) => {
        const { rows } = await client.query<Record<string, SqlValue>>(numbered(statement), [...values]);
        return rows satisfies readonly SqlRow[];
      };
      try {
        await client.query("begin");
        await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`toolpact ${scope}`]);
        const result = await work(run);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/** Replaces each `?` with `$1`, `$2`, …; no statement of the guards has one in a string. */
function numbered(statement: string): string {
  let count = 0;
  return statement.replaceAll("?", () => `$${++count}`);
}
