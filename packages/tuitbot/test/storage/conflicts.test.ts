import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { budgetLedger } from "../../src/guards/budget/ledger.ts";
import type { Database } from "../../src/storage/database.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

onBothEngines("a separate statement", (stores) => {
  // PostgreSQL cancels the side that looks for a deadlock first; by default both look after a second.
  test.skipIf(stores.engine === "sqlite").each([
    { cancelled: "the statement", timeout: "5s" },
    { cancelled: "the transaction", timeout: "10ms" },
  ])(
    "and a transaction that deadlock both take effect once when PostgreSQL cancels $cancelled",
    async ({ timeout }) => {
      const { db, transaction } = await stores.open();
      await sql`create table pairs (name text primary key, count int)`.execute(db);
      await sql`insert into pairs values ('a', 0), ('b', 0)`.execute(db);
      const add = (name: string, at: Kysely<Database>) =>
        sql`update pairs set count = count + 1 where name = ${name}`.execute(at);
      let alone: Promise<unknown> | undefined;
      await transaction(async (inner) => {
        await sql`select set_config('deadlock_timeout', ${timeout}, true)`.execute(inner);
        await add("a", inner);
        if (!alone) {
          // The statement locks `b` and waits for `a`.
          alone = sql`with first as (update pairs set count = count + 1 where name = 'b' returning name)
            update pairs set count = count + 1 from first where pairs.name = 'a'`.execute(db);
          await expect.poll(() => waiting(db)).toBe(1);
        }
        await add("b", inner);
      });
      await alone;
      const { rows } = await sql`select name, count from pairs order by name`.execute(db);
      expect(rows).toEqual([
        { name: "a", count: 2 },
        { name: "b", count: 2 },
      ]);
    },
  );
});

onBothEngines("the ledger", (stores) => {
  test.skipIf(stores.engine === "sqlite")(
    "is never locked crosswise by calls that reserve and calls that settle",
    async () => {
      const failures: unknown[] = [];
      const opened = await openStore(await stores.place(), {
        now: Date.now,
        log: (event) => void (event.level === "error" && failures.push(event.error)),
      });
      if (!opened.ok) throw opened.failure;
      const ledger = budgetLedger({ store: opened.value, account: "1" }, false);
      const requests = [{ operation: "getUsersMe", micros: 1_000 }];
      const now = Date.now();
      const work = async (by: string) => {
        for (let round = 0; round < 15; round++) {
          const held = await ledger.reserve({ callId: by, tool: by, by: "agent", requests, now }, {});
          // A refused read costs nothing, so its reservation is released.
          for (const hold of held.ok ? held.value : []) await ledger.settleRead(hold, undefined);
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, index) => work(`call ${index}`)));
      expect(failures).toEqual([]);
      expect(await ledger.spent(now)).toEqual({ day: 0, month: 0 });
      await opened.value.close();
    },
  );
});

async function waiting(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*) as count from pg_locks where not granted`.execute(db);
  return rows[0]?.count ?? 0;
}
