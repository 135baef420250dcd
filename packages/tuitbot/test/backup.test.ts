import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { agentWithToken, type NewAgent, revokeAgent, rotateToken, saveAgent } from "../src/agents/agents.ts";
import { listPasskeys } from "../src/app/sign-in/passkeys.ts";
import { checkPassphrase, removePerson, savePerson } from "../src/app/sign-in/people.ts";
import { findSession, openSession } from "../src/app/sign-in/sessions.ts";
import { findStop, stopAll } from "../src/guards/stop/stop.ts";
import { openStore } from "../src/storage/open-store.ts";
import { spendAnswer } from "../src/storage/spent-answers.ts";
import type { Store } from "../src/storage/store.ts";
import { type TestApp, testApp } from "./command-line.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";
import { approvalKey } from "./storage/server.ts";

describe("backup and restore", () => {
  test("a copy brings back what nothing has sent, and the replaced database is kept", async () => {
    await using desk = testApp();
    await remember(desk, "before");
    const made = await desk.run(["backup", "--output", "json"]);
    expect(made.code, made.err).toBe(0);
    const { file, bytes } = made.json() as { file: string; bytes: number };
    expect(file).toMatch(/\.tuitbot\/backups\/tuitbot_\d{8}T\d{9}\.db$/);
    expect(statSync(file)).toMatchObject({ size: bytes });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await remember(desk, "after");
    const restored = (await desk.run(["restore", file, "--output", "json"])).json() as { kept: string };
    expect(remembered(database(desk))).toEqual(["before"]);
    expect(remembered(restored.kept)).toEqual(["before", "after"]);
  });

  test("a restore leaves who may do what as it is, and signs every browser out", async () => {
    await using desk = testApp();
    const place = (db: Store["db"]) => ({ db, account: "1", now: Date.now(), key: approvalKey });
    const passkey = (id: string, person: string) => ({
      ...{ account: "1", id, person, site: "bot.example", public_key: "00" },
      ...{ uses: 0, transports_json: "[]", created_at: 1 },
    });
    const WORDS = "four words nobody joins";
    const before = await inside(desk, async ({ db }) => {
      await savePerson(place(db), { person: "Ann", role: "owner" }, WORDS);
      await savePerson(place(db), { person: "Ben", role: "owner" }, WORDS);
      await db
        .insertInto("web_passkeys")
        .values([passkey("lost", "Ann"), passkey("kept", "Ann")])
        .execute();
      return {
        revoked: (await saveAgent(db, agent("revoked"), 1)) ?? "",
        rotated: (await saveAgent(db, agent("rotated"), 1)) ?? "",
        same: (await saveAgent(db, agent("same"), 1)) ?? "",
        cookie: (await openSession(place(db), { person: "Ben", role: "owner", method: "passphrase" })).secret,
      };
    });
    expect(await desk.run(["backup", "copy.db"])).toMatchObject({ code: 0 });
    const after = await inside(desk, async ({ db }) => {
      await removePerson(place(db), "Ann", false);
      await savePerson(place(db), { person: "Ben", role: "viewer" }, `${WORDS}!`);
      await db.insertInto("web_passkeys").values(passkey("new", "Ben")).execute();
      await revokeAgent(db, "revoked", 2);
      await stopAll(db, "1", { at: 2, by: "Ben", reason: undefined });
      expect(await spendAnswer(db, "link:used", { now: 1, expiresAt: Date.now() + 60_000 })).toBe(true);
      return { rotated: (await rotateToken(db, "rotated")) ?? "" };
    });
    const restored = await desk.run(["restore", "copy.db"]);
    expect(restored, restored.err).toMatchObject({ code: 0 });
    for (const name of ["Ann", "revoked"]) expect(restored.out).toContain(name);
    await inside(desk, async ({ db }) => {
      const active = async (token: string) => (await agentWithToken(db, token, 3))?.name;
      expect([await active(before.revoked), await active(before.rotated)]).toEqual([undefined, undefined]);
      expect([await active(after.rotated), await active(before.same)]).toEqual(["rotated", "same"]);
      const signIn = (name: string, passphrase: string) =>
        checkPassphrase(place(db), { name, passphrase }, { address: "198.51.100.1", device: undefined });
      expect(await signIn("Ann", WORDS)).toMatchObject({ ok: false });
      expect(await signIn("Ben", WORDS)).toMatchObject({ ok: false });
      expect(await signIn("Ben", `${WORDS}!`)).toMatchObject({ ok: true, value: { role: "viewer" } });
      expect(await findSession(place(db), before.cookie, async () => "owner")).toBeUndefined();
      expect((await listPasskeys(place(db))).map(({ id }) => id)).toEqual(["new"]);
      expect(await findStop(db, "1")).toMatchObject({ by: "Ben" });
      expect(await spendAnswer(db, "link:used", { now: 3, expiresAt: Date.now() })).toBe(false);
    });
  });

  test("on a machine without a database, no browser is signed in by a backup", async () => {
    await using desk = testApp();
    const visitor = { person: "Ann", role: "owner", method: "passphrase" } as const;
    const at = (db: Store["db"]) => ({ db, account: "1", now: Date.now(), key: approvalKey });
    const { secret } = await inside(desk, ({ db }) => openSession(at(db), visitor));
    await desk.run(["backup", "copy.db"]);
    await using other = testApp();
    expect(await other.run(["restore", join(desk.home, "copy.db")])).toMatchObject({ code: 0 });
    await inside(other, async ({ db }) => {
      expect(await findSession(at(db), secret, async () => "owner")).toBeUndefined();
    });
  });

  test("only a regular file is restored: a pipe, a folder or a device is refused at once", async () => {
    await using desk = testApp();
    await remember(desk, "something");
    spawnSync("mkfifo", [join(desk.home, "pipe")]);
    const { command, args } = tuitbotCommand;
    for (const file of ["pipe", ".", "/dev/null"]) {
      const ran = spawnSync(command, [...args, "restore", file], {
        ...{ cwd: desk.home, env: cleanEnv(desk.home), encoding: "utf8" },
        timeout: 20_000,
        // A process blocked on a pipe does not handle SIGTERM.
        killSignal: "SIGKILL",
      });
      expect(ran, file).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("is not a regular file"),
      });
    }
    expect(remembered(database(desk))).toEqual(["something"]);
  });

  test("to a file of one's choice, never over another", async () => {
    await using desk = testApp();
    await remember(desk, "something");
    expect((await desk.run(["backup", "copy.db"])).out).toMatch(/copy\.db \(\d+ kB\)\n$/);
    const again = await desk.run(["backup", "copy.db"]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("copy.db already exists. Name another file.");
  });

  test("on a machine without a database, a backup becomes it", async () => {
    await using desk = testApp();
    await remember(desk, "something");
    await desk.run(["backup", "copy.db"]);
    await using other = testApp();
    const ran = await other.run(["restore", join(desk.home, "copy.db")]);
    expect(ran.out).toContain("There was none before");
    expect(ran.out).toContain("tuitbot resume");
    expect(remembered(database(other))).toEqual(["something"]);
  });

  test("where there is no database yet, none is made to be copied", async () => {
    await using desk = testApp();
    const ran = await desk.run(["backup"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(`There is no database yet: ${database(desk)} is made`);
    expect(existsSync(database(desk))).toBe(false);
  });

  test("nothing is touched while somebody has the database open, or when the file is none", async () => {
    await using desk = testApp();
    await remember(desk, "something");
    await desk.run(["backup", "copy.db"]);
    const store = await openStore({ path: database(desk) }, { now: Date.now });
    if (!store.ok) throw store.failure;
    const busy = await desk.run(["restore", "copy.db"]);
    await store.value.close();
    expect(busy).toMatchObject({ code: 1, out: "" });
    expect(busy.err).toContain("Stop every tuitbot first");
    writeFileSync(join(desk.home, "no.db"), "nonsense");
    for (const [file, message] of [
      ["no.db", "is not a database of tuitbot"],
      ["absent.db", "There is no file"],
    ] as const) {
      const ran = await desk.run(["restore", file]);
      expect(ran).toMatchObject({ code: 1, out: "" });
      expect(ran.err).toContain(message);
    }
    expect(remembered(database(desk))).toEqual(["something"]);
    expect(readdirSync(join(desk.home, ".tuitbot")).filter((name) => /replaced|incoming/.test(name))).toEqual(
      [],
    );
  });

  test.each([
    ["backup", [], "pg_dump"],
    ["restore", ["copy.db"], "pg_restore"],
  ] as const)("%s leaves PostgreSQL to its own tools", async (name, words, tool) => {
    await using desk = testApp();
    const env = { TUITBOT_STORAGE__URL: "postgres://somebody:secret@127.0.0.1:1/x" };
    const ran = await desk.run([name, ...words], { env });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(`Use ${tool} for it.`);
    expect(ran.err).not.toContain("secret");
    expect(existsSync(database(desk))).toBe(false);
  });
});

function database({ home }: TestApp): string {
  return join(home, ".tuitbot/tuitbot.db");
}

async function inside<T>(desk: TestApp, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ path: database(desk) }, { now: Date.now });
  if (!store.ok) throw store.failure;
  try {
    return await work(store.value);
  } finally {
    await store.value.close();
  }
}

function agent(name: string): NewAgent {
  return {
    ...{ name, profile: "write", accounts: ["default"], limits: [], subject: undefined },
    ...{ perDay: undefined, perMonth: undefined, expiresAt: undefined },
  };
}

/** Something that only the backup decides about. */
async function remember(desk: TestApp, topic: string): Promise<void> {
  const row = { account: "1", digest: topic, topic, format: null, made_at: 1 };
  await inside(desk, ({ db }) => db.insertInto("text_labels").values(row).execute());
}

function remembered(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare("select topic from text_labels order by rowid")
      .all()
      .map(({ topic }) => topic);
  } finally {
    database.close();
  }
}
