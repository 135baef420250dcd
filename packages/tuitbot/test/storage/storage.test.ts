import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FakeClock } from "@toolpact/contract/testing";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { backUp, listBackups, pruneBackups } from "../../src/storage/backup.ts";
import { migrate } from "../../src/storage/migrate.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { restore } from "../../src/storage/restore.ts";
import { deleteOldRows, deleteOldRowsDaily } from "../../src/storage/retention.ts";
import type { Store } from "../../src/storage/store.ts";
import type { Migration } from "../../src/storage/tables/migrations.ts";
import { allMigrations } from "../../src/storage/tables/migrations.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

const now = Date.UTC(2026, 8, 30, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onBothEngines("the store", (stores) => {
  test("migrates a new database once if several processes open it together", async () => {
    const place = await stores.bare();
    const opened = await Promise.all(Array.from({ length: 4 }, () => stores.open(place)));
    const [first] = opened;
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
      (first as Store).db,
    );
    expect(rows.map(({ name }) => name)).toEqual(allMigrations.map(({ name }) => name));
  });

  test("rejects a database written by a newer version", async () => {
    const place = await stores.place();
    const store = await stores.open(place);
    await sql`insert into kysely_migration (name, timestamp) values ('999-from-the-future', '')`.execute(
      store.db,
    );
    expect(await openStore(place, { now: () => now })).toEqual({
      ok: false,
      failure: expect.objectContaining({ message: expect.stringContaining("999-from-the-future") }),
    });
  });

  test("commits a transaction completely or not at all", async () => {
    const store = await stores.open();
    const half = store.transaction(async (db) => {
      await db.insertInto("spend").values({ account: "1", period: "2026-09", micros: 5 }).execute();
      throw new Error("changed my mind");
    });
    await expect(half).rejects.toThrow("changed my mind");
    expect(await store.db.selectFrom("spend").selectAll().execute()).toEqual([]);
  });

  test("returns numbers as numbers", async () => {
    const store = await stores.open();
    const row = { account: "1", period: "2026-09", micros: Number.MAX_SAFE_INTEGER };
    await store.db.insertInto("spend").values(row).execute();
    expect(await store.db.selectFrom("spend").selectAll().execute()).toEqual([row]);
  });

  test("stores and finds any text", async () => {
    const store = await stores.open();
    const row = { account: "1", period: "a\0b\0", micros: 1 };
    await store.db.insertInto("spend").values(row).execute();
    const found = store.db.selectFrom("spend").select("period").where("period", "=", row.period);
    // PostgreSQL has no U+0000.
    expect(await found.execute()).toEqual([{ period: "a\ufffdb\ufffd" }]);
  });

  test("adds up concurrent updates of several processes", async () => {
    const place = await stores.place();
    const [one, two] = await Promise.all([stores.open(place), stores.open(place)]);
    const add = (store: Store) =>
      store.transaction((db) =>
        db
          .insertInto("spend")
          .values({ account: "1", period: "p", micros: 1 })
          .onConflict((conflict) =>
            conflict
              .columns(["account", "period"])
              .doUpdateSet((eb) => ({ micros: eb("spend.micros", "+", 1) })),
          )
          .execute(),
      );
    await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 === 0 ? one : two)));
    expect(await one.db.selectFrom("spend").select("micros").execute()).toEqual([{ micros: 40 }]);
  });

  test.runIf(stores.engine === "sqlite" && process.platform !== "win32")(
    "is for its owner's eyes, also where an older file was not",
    async () => {
      const place = await stores.place();
      await (await stores.open(place)).close();
      expect((await stat(place.path)).mode & 0o777).toBe(0o600);
      await chmod(place.path, 0o644);
      await stores.open(place);
      expect((await stat(place.path)).mode & 0o777).toBe(0o600);
    },
  );

  test("deletes old history in pieces, and nothing that still decides something", async () => {
    const store = await stores.open();
    const old = now - 92 * DAY;
    await store.db.insertInto("telemetry").values(telemetryAt(old, 2_500)).execute();
    await store.db
      .insertInto("telemetry")
      .values(telemetryAt(now - DAY, 3))
      .execute();
    await store.db
      .insertInto("receipts")
      .values([
        receipt({ id: "done", state: "confirmed", claim: null, created_at: old }),
        receipt({ id: "lapsed", state: "confirmed", claim: "a", created_at: old, replay_until: old + DAY }),
        receipt({ id: "liked", state: "confirmed", claim: "b", created_at: old }),
        receipt({ id: "open", state: "unknown", claim: "c", created_at: old }),
        receipt({ id: "replied", state: "confirmed", claim: null, reply_claim: "7", created_at: old }),
        receipt({ id: "new", state: "failed", claim: null, created_at: now }),
      ])
      .execute();
    await store.db.insertInto("steps").values(stepOf("done")).execute();
    await store.db
      .insertInto("spend")
      .values(
        ["2026-06", "2026-06-30", "2026-09", "2026-09-30"].map((period) => ({
          account: "1",
          period,
          micros: 1,
        })),
      )
      .execute();

    await store.db
      .insertInto("limit_counters")
      .values([
        { account: "1", key: "week", window_start: old, used: 1 },
        { account: "1", key: "gone", window_start: now - 367 * DAY, used: 1 },
      ])
      .execute();

    const deleted = await deleteOldRows(store, { now, days: 90 });
    expect(deleted).toMatchObject({ telemetry: 2_500, receipts: 2, spend: 2 });
    expect(await store.db.selectFrom("receipts").select("id").orderBy("id").execute()).toEqual([
      { id: "liked" },
      { id: "new" },
      { id: "open" },
      { id: "replied" },
    ]);
    expect(await store.db.selectFrom("limit_counters").select("key").execute()).toEqual([{ key: "week" }]);
    expect(await store.db.selectFrom("steps").selectAll().execute()).toEqual([]);
    expect(await store.db.selectFrom("telemetry").select("hour").distinct().execute()).toEqual([
      { hour: (now - DAY) / HOUR },
    ]);
    expect(await deleteOldRows(store, { now, days: 0 })).toEqual({});
  });
});

test("old history is deleted at once and every day, until that is stopped", async () => {
  const opened = await openStore({ path: ":memory:" }, { now: () => now });
  if (!opened.ok) throw opened.failure;
  const store = opened.value;
  const clock = new FakeClock(now);
  const count = async () => (await store.db.selectFrom("telemetry").select("hour").execute()).length;
  await store.db
    .insertInto("telemetry")
    .values([...telemetryAt(now - 91 * DAY, 1), ...telemetryAt(now - 90 * DAY, 1), ...telemetryAt(now, 1)])
    .execute();
  const stop = deleteOldRowsDaily(store, 90, clock);
  await expect.poll(count).toBe(2);
  clock.advance(DAY);
  await expect.poll(count).toBe(1);
  stop();
  expect(clock.pending).toBe(0);
  await store.close();
});

test("explains why a database cannot be used, without its password", async () => {
  const nobody = await openStore(
    { url: "postgres://somebody:hunter2@127.0.0.1:1/db", path: "unused" },
    { now: () => now },
  );
  expect(nobody).toMatchObject({
    ok: false,
    failure: {
      kind: "unreachable",
      message: "The PostgreSQL of storage.url cannot be used: PostgreSQL cannot be reached.",
    },
  });
});

describe("a SQLite file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-file-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("says that the disk is full, not what came of it", async () => {
    const opened = await openStore({ path: join(folder, "full.db") }, { now: () => now });
    if (!opened.ok) throw opened.failure;
    const store = opened.value;
    // As many pages as it has already: SQLite takes the transaction back by itself when it needs one more.
    await sql`pragma max_page_count = 1`.execute(store.db);
    const period = "x".repeat(1_000_000);
    const much = store.transaction((db) =>
      db.insertInto("spend").values({ account: "1", period, micros: 1 }).execute(),
    );
    await expect(much).rejects.toMatchObject({ kind: "full", message: "database or disk is full" });
    await store.close();
  });
  let files = 0;

  async function newFile(): Promise<{ path: string; store: Store; backups: string }> {
    const path = join(folder, `${++files}`, "tuitbot.db");
    const store = await openStore({ path }, { now: () => now });
    if (!store.ok) throw store.failure;
    await store.value.db.insertInto("spend").values({ account: "1", period: "p", micros: files }).execute();
    return { path, store: store.value, backups: join(dirname(path), "backups") };
  }

  async function spentIn(path: string): Promise<readonly number[]> {
    const store = await openStore({ path }, { now: () => now });
    if (!store.ok) throw store.failure;
    const rows = await store.value.db.selectFrom("spend").select("micros").execute();
    await store.value.close();
    return rows.map(({ micros }) => micros);
  }

  test("is backed up before a migration that changes data, and only then", async () => {
    const { path, store, backups } = await newFile();
    const added: Migration = {
      name: "998-adds",
      changesData: false,
      statements: () => ["create table extra (id integer)"],
    };
    const changes: Migration = {
      name: "999-changes",
      changesData: true,
      statements: () => ["update spend set micros = 0"],
    };
    await migrate(store, { now: () => now, file: path, migrations: [...allMigrations, added] });
    expect(await readdir(dirname(path))).not.toContain("backups");
    await migrate(store, { now: () => now, file: path, migrations: [...allMigrations, added, changes] });
    expect(await store.db.selectFrom("spend").select("micros").execute()).toEqual([{ micros: 0 }]);
    const [copy = ""] = await readdir(backups);
    expect(copy).toBe("before_migration_tuitbot.db_20260930T120000000.db");
    await store.close();
  });

  test("can be backed up while it is used, and put back", async () => {
    const { path, store, backups } = await newFile();
    const label = { account: "1", digest: "d", topic: "rye", format: null, made_at: 1 };
    await store.db.insertInto("text_labels").values(label).execute();
    const first = await backUp(store, backups, now);
    await store.db.deleteFrom("text_labels").where("account", "=", "1").execute();
    await store.db.updateTable("spend").set({ micros: 77 }).execute();
    await store.close();
    expect(await restore(first.path, path, now)).toEqual({
      ok: true,
      value: { kept: `${path}.replaced-${now}`, withheld: [] },
    });
    const restored = await openStore({ path }, { now: () => now });
    if (!restored.ok) throw restored.failure;
    expect(await restored.value.db.selectFrom("text_labels").selectAll().execute()).toEqual([label]);
    await restored.value.close();
    // Money that was spent since stays spent.
    expect(await spentIn(path)).toEqual([77]);
    expect(await spentIn(`${path}.replaced-${now}`)).toEqual([77]);
  });

  test("is not replaced while another process has it open", async () => {
    const { path, store, backups } = await newFile();
    const { path: backup } = await backUp(store, backups, now);
    expect(await restore(backup, path, now)).toEqual({
      ok: false,
      failure: expect.stringContaining(`Another process has ${path} open`),
    });
    await store.close();
  });

  test("is not replaced by something that is no database of ours", async () => {
    const { path, store } = await newFile();
    await store.close();
    const text = join(folder, "letter.db");
    await writeFile(text, "Dear database");
    expect(await restore(text, path, now)).toEqual({
      ok: false,
      failure: `${text} is not a database of tuitbot.`,
    });
    const cut = join(folder, "cut.db");
    await writeFile(cut, (await readFile(path)).subarray(0, 5_000));
    expect((await restore(cut, path, now)).ok).toBe(false);
    expect(await spentIn(path)).toEqual([files]);
  });

  test("keeps as many backups as asked for", async () => {
    const { store, backups } = await newFile();
    for (const day of [0, 1, 2]) await backUp(store, backups, now + day * DAY);
    expect(await pruneBackups(backups, 1)).toHaveLength(2);
    expect((await listBackups(backups)).map(({ path }) => path)).toEqual([
      join(backups, "tuitbot_20261002T120000000.db"),
    ]);
    await store.close();
  });
});

function telemetryAt(at: number, count: number) {
  return Array.from({ length: count }, (_, latency_ms) => ({
    account: "1",
    hour: Math.floor(at / HOUR),
    tool: "t",
    category: "c",
    code: "",
    policy_decision: "",
    latency_ms,
    calls: 1,
    total_ms: 1,
    min_ms: 1,
    max_ms: 1,
    latest_at: at,
  }));
}

function receipt(part: {
  id: string;
  state: "confirmed" | "failed" | "unknown";
  claim: string | null;
  created_at: number;
  replay_until?: number;
  reply_claim?: string;
}) {
  return {
    account: "1",
    args_digest: "",
    approval_claim: null,
    reply_claim: null,
    tool: "t",
    args_json: "{}",
    attempt: 1,
    lease_until: 0,
    replay_until: null,
    expected_steps: 1,
    settled_at: null,
    result_json: null,
    error_json: null,
    holds_json: "{}",
    ...part,
  };
}

function stepOf(receipt_id: string) {
  return {
    receipt_id,
    seq: 1,
    account: "1",
    operation: null,
    method: "POST",
    target: "/",
    body_json: null,
    digest: "",
    state: "confirmed" as const,
    sent_at: 0,
    effect_from: 0,
    effect_until: 0,
    settled_at: 0,
    status: 200,
    answer_text: null,
    makes: null,
    continues: null,
  };
}
