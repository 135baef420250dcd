import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { RunSql, SqlDatabase, SqlRow } from "./sql.ts";

/** Retries while another connection holds a transaction. */
const MAX_TRIES = 4_000;
const RETRY_MS = 5;
/** Statements with a list of ids have a text for each length of the list. */
const MAX_PREPARED = 200;

/** Opens a file that several processes may share. */
export async function openSqlite(file: string): Promise<SqlDatabase> {
  // Loaded here, to keep it out of servers with another engine.
  const { DatabaseSync: Database } = await import("node:sqlite");
  const db: DatabaseSync = new Database(file);
  // SQLite's own busy wait would block this whole process, and could deadlock with the lock's holder.
  db.exec("pragma busy_timeout = 0");
  await whenFree(() => db.exec("pragma journal_mode = wal; pragma synchronous = full;"));
  // Preparing one of the few statements takes longer than running it.
  const prepared = new Map<string, StatementSync>();
  const run: RunSql = async (statement, values = []) => {
    let known = prepared.get(statement);
    if (known === undefined) {
      known = db.prepare(statement);
      if (prepared.size < MAX_PREPARED) prepared.set(statement, known);
    }
    // The guards' columns hold texts, numbers and null.
    return known.all(...values) as unknown as readonly SqlRow[];
  };
  const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")];
  // Two connections would read each other's pages again.
  const waiting = { full: "pragma synchronous = full", normal: "pragma synchronous = normal" } as const;
  let synchronous: keyof typeof waiting = "full";
  let last: Promise<unknown> = Promise.resolve();
  const transact =
    (wanted: keyof typeof waiting): SqlDatabase["transact"] =>
    (_scope, work) => {
      // A connection holds one transaction at a time.
      const mine = last.then(async () => {
        if (synchronous !== wanted) db.exec(waiting[wanted]);
        synchronous = wanted;
        await whenFree(() => void begin.run());
        try {
          const result = await work(run);
          commit.run();
          return result;
        } catch (error) {
          if (db.isTransaction) db.exec("rollback");
          throw error;
        }
      });
      last = mine.catch(() => {});
      return mine;
    };
  return {
    serial: "integer primary key autoincrement",
    transact: transact("full"),
    transactUnsynced: transact("normal"),
    async close() {
      await last;
      if (db.isOpen) db.close();
    },
  };
}

const BUSY = 5;

async function whenFree(work: () => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      const { errcode } = error as { readonly errcode?: number };
      // The lowest byte is the primary error code.
      if (errcode === undefined || (errcode & 0xff) !== BUSY || tries === MAX_TRIES) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
