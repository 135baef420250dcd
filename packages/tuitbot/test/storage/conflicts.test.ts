import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import type { Database } from "../../src/storage/database.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

onBothEngines("a statement of its own", (stores) => {
  test.skipIf(stores.engine === "sqlite")(
    "is tried again when it and a transaction wait for each other",
    async () => {
      const { db, transaction } = await stores.open();
      await sql`create table pairs (name text primary key, count int)`.execute(db);
      await sql`insert into pairs values ('a', 0), ('b', 0)`.execute(db);
      const add = (name: string, at: Kysely<Database>) =>
        sql`update pairs set count = count + 1 where name = ${name}`.execute(at);
      let alone: Promise<unknown> | undefined;
      await transaction(async (inner) => {
        await add("a", inner);
        // It has `b`, and waits for `a`.
        alone ??= sql`with first as (update pairs set count = count + 1 where name = 'b' returning name)
          update pairs set count = count + 1 from first where pairs.name = 'a'`.execute(db);
        await expect.poll(() => waiting(db)).toBe(1);
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

async function waiting(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*) as count from pg_locks where not granted`.execute(db);
  return rows[0]?.count ?? 0;
}
