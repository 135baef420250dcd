import type { DatabaseSync } from "node:sqlite";
import type { RunSql, SqlDatabase, SqlRow } from "./sql.ts";

const BUSY_MS = 10_000;

/** A file of SQLite, with what Node brings. Several processes may have it open. */
export async function openSqlite(file: string): Promise<SqlDatabase> {
  // Loaded here, so that whoever uses another engine does not pay for it.
  const { DatabaseSync: Database } = await import("node:sqlite");
  const db: DatabaseSync = new Database(file);
  db.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma synchronous = full;`);
  const run: RunSql = async (statement, values = []) =>
    // Every column that the guards declare holds a text, a number or null.
    db.prepare(statement).all(...values) as unknown as readonly SqlRow[];
  let last: Promise<unknown> = Promise.resolve();
  return {
    serial: "integer primary key autoincrement",
    transact(_scope, work) {
      // One connection holds one transaction at a time.
      const mine = last.then(async () => {
        db.exec("begin immediate");
        try {
          const result = await work(run);
          db.exec("commit");
          return result;
        } catch (error) {
          if (db.isTransaction) db.exec("rollback");
          throw error;
        }
      });
      last = mine.catch(() => {});
      return mine;
    },
    async close() {
      await last;
      if (db.isOpen) db.close();
    },
  };
}
