import { cast } from "@toolpact/x-sandbox";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { rehearse } from "../../src/rehearsal/rehearse.ts";
import type { Store } from "../../src/storage/store.ts";
import { openDesk } from "../engagement/desk.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { approvalKey } from "./server.ts";

const HOUR = 3_600_000;

onBothEngines("a rehearsal", (stores) => {
  test("changes no row of any table and asks X nothing", async () => {
    const desk = await openDesk({
      store: await stores.place(),
      config: {
        business: { product_name: "Crumb", product_keywords: ["rye"], industry_topics: ["crust"] },
        notify: { people: [{ name: "Ann", email: "ann@mail.example" }] },
      },
    });
    onTestFinished(() => desk.close());
    const { sandbox, services } = desk;
    await desk.call("x_post_tweet", { text: "Rye is out." });
    sandbox.say(cast.friend, `@${cast.owner} is there rye today?`);
    for (const hours of [5, 12]) {
      const { data } = await desk.call("create_draft", { texts: [`In ${hours} hours.`] });
      const { draft_id: id } = data as { readonly draft_id: number };
      const scheduled_for = new Date(sandbox.clock.now() + hours * HOUR).toISOString();
      expect(await desk.call("schedule_draft", { id, scheduled_for })).toMatchObject({ success: true });
    }
    const { store } = services.db;
    const before = await everyRow(store);
    const asked = sandbox.journal.entries.length;
    const rehearsed = await rehearse(
      { ...services, approvalKey },
      { days: 1, signal: new AbortController().signal },
    );
    // The scheduled posts, and what the loops write.
    expect(rehearsed.ok && rehearsed.value.totals.goes_out).toBeGreaterThan(2);
    expect(await everyRow(store)).toEqual(before);
    expect(sandbox.journal.entries).toHaveLength(asked);
  });
});

async function everyRow({ db, engine }: Store): Promise<Record<string, readonly string[]>> {
  const tables =
    engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{
          name: string;
        }>`select table_name as name from information_schema.tables where table_schema = current_schema()`;
  const { rows } = await tables.execute(db);
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rows: all } = await sql`select * from ${sql.table(name)}`.execute(db);
      return [name, all.map((row) => JSON.stringify(row)).sort()] as const;
    }),
  );
  expect(found.length).toBeGreaterThan(30);
  return Object.fromEntries(found);
}
