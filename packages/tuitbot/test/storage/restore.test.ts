import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { openRecords } from "@toolpact/contract/internal/sign-in";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { afterAll, describe, expect, test } from "vitest";
import { pendingItems } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { progressOf, switchLoop } from "../../src/autopilot/progress.ts";
import { findStop, stopAll } from "../../src/guards/stop/stop.ts";
import { backUpTo } from "../../src/storage/backup.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { restore } from "../../src/storage/restore.ts";
import { sqlDatabase } from "../../src/storage/sql-database.ts";
import type { Store } from "../../src/storage/store.ts";
import type { Envelope } from "../live-server.ts";
import type { ServerSetting, TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

// A backup is made, something happens that takes a freedom away, and the backup is restored.

const folder = await mkdtemp(join(tmpdir(), "tuitbot-restore-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
let files = 0;

interface Happening {
  readonly name: string;
  readonly setting?: ServerSetting;
  readonly before?: (server: TestServer, sandbox: Sandbox) => Promise<unknown>;
  readonly since: (server: TestServer, sandbox: Sandbox) => Promise<unknown>;
  readonly stillHolds: (server: TestServer, sandbox: Sandbox) => Promise<void>;
}

const hello = { text: "Good morning" };
const post = ({ call }: TestServer, args = hello): Promise<Envelope> => call("x_post_tweet", args);
const reply = ({ call }: TestServer, sandbox: Sandbox, text: string) => {
  const [theirs] = [...sandbox.world.posts.values()].filter(
    ({ authorId }) => authorId === sandbox.person(cast.friend).id,
  );
  return call("x_reply_to_tweet", { in_reply_to_id: theirs?.id ?? "", text });
};
const composer = { config: { mode: "composer" } } as const;

const happenings: readonly Happening[] = [
  {
    name: "a post went out",
    since: (server) => post(server),
    async stillHolds(server, sandbox) {
      sandbox.clock.advance(60_000);
      expect(await post(server)).toMatchObject({ success: true, meta: { replayed: true } });
      expect(postedBy(sandbox)).toHaveLength(1);
    },
  },
  {
    name: "a post got no answer",
    async since(server, sandbox) {
      sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
      sandbox.faults.add({ operation: "getUsersPosts", kind: "error", count: 9 });
      await post(server);
      sandbox.faults.clear();
    },
    async stillHolds(server, sandbox) {
      sandbox.clock.advance(600_000);
      expect(await post(server)).toMatchObject({ success: true, meta: { replayed: true } });
      expect(postedBy(sandbox)).toHaveLength(1);
    },
  },
  {
    name: "somebody was answered",
    since: async (server, sandbox) =>
      expect(await reply(server, sandbox, "Thank you")).toMatchObject({ success: true }),
    async stillHolds(server, sandbox) {
      expect(await reply(server, sandbox, "Thank you again")).toMatchObject({
        success: false,
        error: { code: "policy_denied_hard_rule" },
      });
    },
  },
  {
    name: "a person rejected a post",
    setting: composer,
    before: (server) => post(server),
    async since({ session, clock }) {
      const { store, account } = session;
      const [item] = await pendingItems(store.db, account, clock.now());
      const { id = 0, digest = "" } = item ?? {};
      await rejectItem(store.db, account, id, { digest, by: "terminal", now: clock.now() });
    },
    async stillHolds(server) {
      expect(await post(server)).toMatchObject({
        success: false,
        error: { reason: "rejected_by_person" },
      });
    },
  },
  {
    name: "the budget was spent",
    setting: { caps: { perDay: 15_000 } },
    since: async (server) => expect(await post(server)).toMatchObject({ success: true }),
    async stillHolds(server) {
      expect(await post(server, { text: "One more" })).toMatchObject({
        success: false,
        error: { message: expect.stringContaining("budget") },
      });
    },
  },
  {
    name: "a limit was reached",
    setting: { config: { mcp_policy: { max_mutations_per_hour: 1 } } },
    since: async (server) => expect(await post(server)).toMatchObject({ success: true }),
    async stillHolds(server) {
      expect(await post(server, { text: "One more" })).toMatchObject({
        success: false,
        error: { code: "policy_denied_rate_limited" },
      });
    },
  },
  {
    name: "a person stopped everything",
    since: ({ session }) =>
      stopAll(session.store.db, session.account, { at: 1, by: "terminal", reason: undefined }),
    async stillHolds(server, sandbox) {
      expect(await post(server)).toMatchObject({ success: false, error: { reason: "stopped_by_person" } });
      expect(postedBy(sandbox)).toEqual([]);
    },
  },
  {
    name: "a person switched a loop off",
    since: ({ session }) => switchLoop(session, "mentions", { at: 1, by: "terminal" }),
    async stillHolds({ session }) {
      expect(await progressOf(session, "mentions")).toMatchObject({ off: { by: "terminal" } });
    },
  },
  {
    name: "a person took a post off the schedule",
    before: ({ session }) => insertScheduled(session.store, session.account),
    since: ({ session }) =>
      session.store.db
        .updateTable("scheduled_posts")
        .set({ status: "cancelled" })
        .where("account", "=", session.account)
        .execute(),
    async stillHolds({ session }) {
      const rows = await session.store.db
        .selectFrom("scheduled_posts")
        .select("status")
        .where("account", "=", session.account)
        .execute();
      expect(rows).toEqual([{ status: "cancelled" }]);
    },
  },
];

describe("an older backup", () => {
  test.each(happenings)("does not undo that $name", async ({ setting, before, since, stillHolds }) => {
    const { path, copy } = await newPlace();
    const sandbox = newSandbox();
    const inside = async (work: (server: TestServer) => Promise<unknown>) => {
      const store = await open(path);
      try {
        await work(serverOn(store, sandbox, setting));
      } finally {
        await store.close();
      }
    };
    await inside(async (server) => {
      await before?.(server, sandbox);
      expect(await backUpTo(server.session.store, copy)).toMatchObject({ ok: true });
      await since(server, sandbox);
    });
    expect(await restore(copy, path, 1)).toMatchObject({ ok: true });
    await inside((server) => stillHolds(server, sandbox));
  });

  test("changes nothing but drafts and plans: every other table is as it was", async () => {
    const { path, copy } = await newPlace();
    const store = await open(path);
    await backUpTo(store, copy);
    await store.close();
    const since = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    const tables = tablesOf(since);
    for (const table of tables) insertAny(since, table);
    const written = rowsOf(since, tables);
    since.close();
    const restored = await restore(copy, path, 1);
    if (!restored.ok) throw new Error(restored.failure);
    const now = new DatabaseSync(path);
    const kept = rowsOf(now, tables);
    now.close();
    const different = tables.filter(
      (table) => JSON.stringify(kept[table]) !== JSON.stringify(written[table]),
    );
    expect(different.sort()).toEqual([
      "draft_comments",
      "draft_news",
      "draft_revisions",
      "drafts",
      "leases",
      "snippets",
      "targets",
      "text_labels",
      "web_sessions",
    ]);
    expect(kept).toMatchObject({ leases: [], web_sessions: [] });
  });

  test("brings drafts back, except those that were sent or wait to be, and gives no id again", async () => {
    const { path, copy } = await newPlace();
    const store = await open(path);
    const draft = async (status: "draft" | "scheduled") => {
      const row = { account: "1", texts_json: '["Rye."]', status, revision: 1, lease_until: 0 };
      const { id } = await store.db
        .insertInto("drafts")
        .values({ ...row, ...NO_PLAN, created_at: 1, updated_at: 1 })
        .returning("id")
        .executeTakeFirstOrThrow();
      return id;
    };
    const [changed, published, unscheduled] = [
      await draft("draft"),
      await draft("draft"),
      await draft("scheduled"),
    ];
    await backUpTo(store, copy);
    const set = (id: number, values: { texts_json?: string; status?: "discarded" | "published" | "draft" }) =>
      store.db.updateTable("drafts").set(values).where("account", "=", "1").where("id", "=", id).execute();
    await set(changed, { texts_json: '["No."]', status: "discarded" });
    await set(published, { status: "published" });
    await set(unscheduled, { status: "draft" });
    const younger = await draft("draft");
    await store.close();
    expect(await restore(copy, path, 1)).toMatchObject({ ok: true });
    const again = await open(path);
    const rows = await again.db
      .selectFrom("drafts")
      .select(["id", "status", "texts_json"])
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      { id: changed, status: "draft", texts_json: '["Rye."]' },
      { id: published, status: "published", texts_json: '["Rye."]' },
      { id: unscheduled, status: "draft", texts_json: '["Rye."]' },
    ]);
    const { id: next } = await again.db
      .insertInto("drafts")
      .values({
        account: "1",
        texts_json: "[]",
        status: "draft",
        revision: 1,
        lease_until: 0,
        ...NO_PLAN,
        created_at: 1,
        updated_at: 1,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    expect(next).toBeGreaterThan(younger);
    await again.close();
  });

  test("does not bring back a client's sign-in that has ended, or a token that was used", async () => {
    const { path, copy } = await newPlace();
    const recordsOf = (store: Store) =>
      openRecords(
        sqlDatabase(async () => store),
        "tuitbot",
        Date.now,
      );
    const store = await open(path);
    const before = await recordsOf(store);
    await before.save("RefreshToken", "stolen", { grantId: "ended" }, 3_600);
    await before.save("RefreshToken", "used", { grantId: "kept" }, 3_600);
    await backUpTo(store, copy);
    await before.revokeGrant("ended");
    expect(await before.consume("RefreshToken", "used")).toBe(true);
    await before.save("RefreshToken", "new", { grantId: "kept" }, 3_600);
    await store.close();
    expect(await restore(copy, path, 1)).toMatchObject({ ok: true });
    const again = await open(path);
    const after = await recordsOf(again);
    expect(await after.find("RefreshToken", "stolen")).toBeUndefined();
    expect(await after.consume("RefreshToken", "used")).toBe(false);
    expect(await after.find("RefreshToken", "new")).toMatchObject({ grantId: "kept" });
    await again.close();
    // Without a database that knows which have ended, all have.
    const other = await newPlace();
    expect(await restore(copy, other.path, 1)).toMatchObject({ ok: true });
    const alone = await open(other.path);
    expect(await (await recordsOf(alone)).find("RefreshToken", "used")).toBeUndefined();
    await alone.close();
  });

  test("of another database is refused", async () => {
    const [one, other] = [await newPlace(), await newPlace()];
    for (const [index, { path, copy }] of [one, other].entries()) {
      const store = await open(path);
      await insertScheduled(store, `${index}`);
      await backUpTo(store, copy);
      await store.close();
    }
    expect(await restore(other.copy, one.path, 1)).toEqual({
      ok: false,
      failure: expect.stringContaining("Move"),
    });
  });

  test("stops sending if no database is left that knows what was sent since", async () => {
    const { path, copy } = await newPlace();
    const store = await open(path);
    await insertScheduled(store, "1");
    await backUpTo(store, copy);
    await store.close();
    await rm(path);
    expect(await restore(copy, path, 7)).toMatchObject({ ok: true, value: { kept: undefined } });
    const again = await open(path);
    expect(await findStop(again.db, "1")).toMatchObject({ at: 7, by: "tuitbot restore" });
    await again.close();
  });
});

const NO_PLAN = {
  ...{ media_json: null, topic: null, framework: null, writer: null, scheduled_for: null, schedule_id: null },
  ...{ approval_id: null, resume: null, result_json: null, series_id: null, series_json: null },
};

async function newPlace(): Promise<{ readonly path: string; readonly copy: string }> {
  const place = join(folder, `${++files}`);
  await mkdir(place);
  return { path: join(place, "tuitbot.db"), copy: join(place, "copy.db") };
}

async function open(path: string): Promise<Store> {
  const store = await openStore({ path }, { now: Date.now });
  if (!store.ok) throw store.failure;
  return store.value;
}

async function insertScheduled({ db }: Store, account: string): Promise<void> {
  await db
    .insertInto("scheduled_posts")
    .values({
      ...{ account, draft_id: null, texts_json: '["Rye."]', media_json: null, topic: null, format: null },
      ...{ due_at: 5, status: "scheduled", created_at: Number(account.slice(-3)), accepts_url_price: 0 },
      ...{ lease_until: 0, tries: 0, approval_id: null, post_id: null, error_json: null },
    })
    .execute();
}

function tablesOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'",
    )
    .all()
    .map(({ name }) => String(name));
}

/** Inserts a row that has a value in every column, unless a trigger has inserted it. */
function insertAny(database: DatabaseSync, table: string): void {
  const columns = database.prepare("select name, type from pragma_table_info(?)").all(table);
  const values = columns.map(({ type }): SQLInputValue => (type === "TEXT" || type === "text" ? "1" : 1));
  database
    .prepare(
      `insert or ignore into ${table} (${columns.map(({ name }) => name).join(", ")})
      values (${columns.map(() => "?").join(", ")})`,
    )
    .run(...values);
}

function rowsOf(database: DatabaseSync, tables: readonly string[]): Record<string, unknown[]> {
  return Object.fromEntries(
    tables.map((table) => [table, database.prepare(`select * from ${table} order by 1, 2`).all()]),
  );
}
