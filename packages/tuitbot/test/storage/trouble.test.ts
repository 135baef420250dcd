import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { copyFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { backUp } from "../../src/storage/backup.ts";
import { openStore } from "../../src/storage/open-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const folder = await mkdtemp(join(tmpdir(), "tuitbot-trouble-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const hello = { text: "Hello" };

/** Only the operator can fix it, so the agent gets no advice to call again. */
const noLoop = expect.not.stringMatching(/again/);

onBothEngines("a database in trouble", ({ engine, open, place }) => {
  if (engine === "postgres") {
    test("survives connections that are lost while they are in use", async () => {
      const { url = "", path } = await place();
      const store = await open({ url, path });
      const work = store.transaction(async (db) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
        await onServer(url, `select pg_terminate_backend(${rows[0]?.pid}, 10000)`);
        await sql`select 1`.execute(db);
      });
      await expect(work).rejects.toMatchObject({ kind: "unreachable" });
      const running = sql`select pg_sleep(60)`.execute(store.db);
      const lost = expect(running).rejects.toMatchObject({ kind: "unreachable" });
      await expect
        .poll(() =>
          onServer(
            url,
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
          ),
        )
        .toEqual([{ count: "1" }]);
      await lost;
      expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    });

    test("writes a step to the disk although the server does not wait for it", async () => {
      const { url = "", path } = await place();
      const lazy = new URL(url);
      lazy.searchParams.set("options", "-csynchronous_commit=off");
      const store = await open({ url: lazy.href, path });
      const setting = sql<{ is: string }>`select current_setting('synchronous_commit') as is`;
      const durable = await store.durableTransaction((db) => setting.execute(db));
      expect(durable.rows).toEqual([{ is: "on" }]);
      expect((await store.transaction((db) => setting.execute(db))).rows).toEqual([{ is: "off" }]);
    });
  }

  test("that is read-only rejects writes and asks for the operator", async () => {
    const store = await open();
    const sandbox = newSandbox();
    await (engine === "sqlite" ? sql`pragma query_only = on`.execute(store.db) : makeReadOnly(store));
    expect(await serverOn(store, sandbox).call("x_post_tweet", hello)).toMatchObject({
      error: { code: "db_error", reason: "denied", fix_by: "operator", suggested_fix: noLoop },
    });
    expect(postedBy(sandbox)).toEqual([]);
  });
});

describe("the file of a database", () => {
  let files = 0;

  async function newStore(): Promise<{ store: Store; path: string }> {
    const path = join(folder, `${++files}`, "tuitbot.db");
    const opened = await openStore({ path }, { now: Date.now });
    if (!opened.ok) throw opened.failure;
    return { store: opened.value, path };
  }

  test.each([
    ["deleted", (path: string) => rm(path)],
    ["moved away", (path: string) => rename(path, `${path}.old`)],
    [
      "replaced by a copy of itself",
      async (path: string) => {
        await copyFile(path, `${path}.copy`);
        await rename(`${path}.copy`, path);
      },
    ],
    ["left without its log", (path: string) => rm(`${path}-wal`)],
  ])("is noticed to be %s before anything is sent", async (_, harm) => {
    const { store, path } = await newStore();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox);
    expect(await server.call("x_post_tweet", { text: "Before" })).toMatchObject({ success: true });
    await harm(path);
    expect(await server.call("x_post_tweet", { text: "After" })).toMatchObject({
      success: false,
      error: {
        code: "db_error",
        reason: "replaced",
        fix_by: "operator",
        message: expect.stringContaining("deleted or replaced"),
        suggested_fix: expect.stringContaining("restart"),
      },
    });
    // Also between the check and the request.
    await expect(store.durableTransaction(async () => "sent")).rejects.toMatchObject({ kind: "replaced" });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(["Before"]);
    await store.close();
  });

  test("is full: nothing is sent, and a person has to make space", async () => {
    const { store } = await newStore();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox);
    expect(await server.call("x_post_tweet", { text: "Before" })).toMatchObject({ success: true });
    await sql`pragma max_page_count = 1`.execute(store.db);
    const answers = [];
    // Until the free space in the pages that it has is used up.
    for (let call = 0; call < 20; call++)
      answers.push(await server.call("x_post_tweet", { text: `${call} ${"x".repeat(200)}` }));
    expect(answers.find(({ success }) => !success)).toMatchObject({
      error: { code: "db_error", reason: "full", fix_by: "operator", suggested_fix: noLoop },
    });
    const done = answers.filter(({ success }) => success).length;
    expect(postedBy(sandbox)).toHaveLength(1 + done);
    await store.close();
  });

  test("is damaged: says so", async () => {
    const { store, path } = await newStore();
    await store.close();
    await writeFile(path, "These are no tables, however long one looks at them. ".repeat(100));
    expect(await openStore({ path }, { now: Date.now })).toMatchObject({ failure: { kind: "damaged" } });
  });

  test.skipIf(process.platform !== "linux").each([
    ["/proc/nope/deep/x.db", "denied"],
    ["/sys/x.db", "denied"],
    ["/dev/null/x.db", "denied"],
  ])("at %s is refused at once", async (path, kind) => {
    expect(await openStore({ path }, { now: Date.now })).toMatchObject({
      failure: { kind, message: expect.stringContaining(path) },
    });
  });

  test.skipIf(process.platform === "win32")("is refused if it is a pipe", async () => {
    const path = join(folder, "pipe.db");
    await promisify(execFile)("mkfifo", [path]);
    expect(await openStore({ path }, { now: Date.now })).toMatchObject({ failure: { kind: "denied" } });
  });

  test("is backed up to a file that only its owner can read, from the first byte", async () => {
    const modes: number[] = [];
    const path = join(folder, "private.db");
    const backups = join(folder, "backups");
    const copy = join(backups, "tuitbot_20260930T120000000.db");
    const opened = await openStore(
      { path },
      {
        now: Date.now,
        log: ({ query }) => {
          if (query.sql.startsWith("vacuum")) modes.push(statSync(copy).mode & 0o777);
        },
      },
    );
    if (!opened.ok) throw opened.failure;
    expect(await backUp(opened.value, backups, Date.UTC(2026, 8, 30, 12))).toMatchObject({ path: copy });
    expect(modes).toEqual([0o600]);
    await opened.value.close();
  });
});

async function onServer(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

/** Every later transaction on any of its connections. */
async function makeReadOnly(store: Store): Promise<void> {
  await store.db.connection().execute((db) => sql`set default_transaction_read_only = on`.execute(db));
}
