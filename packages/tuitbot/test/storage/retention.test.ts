import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { FakeClock } from "@toolpact/contract/testing";
import { type LogEvent, sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../src/storage/open-store.ts";
import { deleteOldRows, deleteOldRowsDaily } from "../../src/storage/retention.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

const DAY = 86_400_000;
const now = Date.UTC(2026, 8, 30, 12);
const MANY = 4_000;

const folder = await mkdtemp(join(tmpdir(), "tuitbot-retention-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** So many entries of the audit log of two accounts, all too old. */
async function fillAudit({ db }: Store, count: number): Promise<void> {
  await sql`insert into audit (correlation_id, account, at, tool, effect, transport, args_json, decision, status)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select 'c' || i, 'account ' || (i % 2), ${sql.lit(now - 100 * DAY)} + i, 'x_post_tweet', 'create', 'stdio',
      '{"text":"${sql.raw("x".repeat(400))}"}', 'allow', 'success' from n`.execute(db);
}

async function countOf({ db }: Store): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from audit`.execute(db);
  return Number(rows[0]?.n);
}

onBothEngines("deleting much", (stores) => {
  test("answers others in between, and stops on request", async () => {
    const store = await stores.open();
    await fillAudit(store, MANY);
    // Turns of the event loop, in each of which another call could be answered.
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns++) await setImmediate();
    })();
    const turnsAtPieces: number[] = [];
    const isStopped = () => turnsAtPieces.push(turns) === 0;
    expect(await deleteOldRows(store, { now, days: 90, isStopped })).toMatchObject({ audit: MANY });
    isDone = true;
    await counting;
    // 200 rows are deleted at a time, and the loop turns after each piece.
    expect(turnsAtPieces.length).toBeGreaterThanOrEqual(MANY / 200);
    const inPieces = turnsAtPieces.slice(0, MANY / 200);
    expect(new Set(inPieces).size).toBe(inPieces.length);
    expect(await store.db.selectFrom("action_counts").selectAll().execute()).toEqual([]);

    await fillAudit(store, MANY);
    let pieces = 0;
    await deleteOldRows(store, { now, days: 90, isStopped: () => ++pieces > 5 });
    expect(await countOf(store)).toBeGreaterThan(0);
  });
});

test("SQLite reads nothing but what it deletes", async () => {
  const asked: string[] = [];
  const log = ({ query }: LogEvent) => void asked.push(query.sql);
  const opened = await openStore({ path: ":memory:" }, { now: () => now, log });
  // Here SQLite does not know that there are only few rows.
  const unknown = await openStore({ path: ":memory:" }, { now: () => now });
  if (!opened.ok) throw opened.failure;
  if (!unknown.ok) throw unknown.failure;
  const store = opened.value;
  const tables = (await store.db.introspection.getTables()).map(({ name }) => name);
  // One row per table, to check every table whatever its columns.
  await sql`pragma ignore_check_constraints = on`.execute(store.db);
  await sql`pragma foreign_keys = off`.execute(store.db);
  for (const table of tables) {
    const { rows } = await sql<{ name: string; type: string; notnull: number; pk: number }>`
      select name, type, "notnull", pk from pragma_table_info(${table})`.execute(store.db);
    const needed = rows.filter((column) => column.notnull === 1 || column.pk > 0);
    if (!needed.some(({ name }) => name === "account")) continue;
    await sql`insert into ${sql.table(table)} (${sql.join(needed.map(({ name }) => sql.ref(name)))})
      values (${sql.join(needed.map(({ type }) => (type === "TEXT" ? sql`'1'` : sql`1`)))})
      on conflict do nothing`.execute(store.db);
  }
  asked.length = 0;
  await deleteOldRows(store, { now, days: 90 });
  const deletes = asked.filter((statement) => statement.startsWith("delete"));
  expect(deletes.length).toBeGreaterThan(15);
  const scans: string[] = [];
  for (const statement of new Set(asked.filter((one) => !one.startsWith("pragma")))) {
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(statement)}`.execute(
      unknown.value.db,
    );
    scans.push(...rows.filter(({ detail }) => detail.startsWith("SCAN")).map(() => statement));
    // Rows that a time narrows down, by an index that has it.
    if (statement.startsWith("delete"))
      expect(rows.map(({ detail }) => detail).join("\n"), statement).toMatch(/\(account=\?.* AND \w+<\?\)/);
  }
  expect(scans).toEqual([]);
  await Promise.all([store.close(), unknown.value.close()]);
});

test("a SQLite file gets smaller", async () => {
  const path = join(folder, "shrinks.db");
  const opened = await openStore({ path }, { now: () => now });
  if (!opened.ok) throw opened.failure;
  const store = opened.value;
  await fillAudit(store, MANY);
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  const full = (await stat(path)).size;
  const stop = deleteOldRowsDaily(store, 90, new FakeClock(now));
  const free = async () =>
    (await sql<{ freelist_count: number }>`pragma freelist_count`.execute(store.db)).rows[0]?.freelist_count;
  await expect.poll(async () => [await countOf(store), await free()], { timeout: 20_000 }).toEqual([0, 0]);
  stop();
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  expect((await stat(path)).size).toBeLessThan(full / 2);
  await store.close();
});
