import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openStore } from "../src/storage/open-store.ts";
import { type Desk, newDesk } from "./command-line.ts";

describe("backup and restore", () => {
  test("a copy brings everything back, and what was there meanwhile is kept", async () => {
    await using desk = newDesk();
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

  test("to a file of one's choice, never over another", async () => {
    await using desk = newDesk();
    await remember(desk, "something");
    expect((await desk.run(["backup", "copy.db"])).out).toMatch(/copy\.db \(\d+ kB\)\n$/);
    const again = await desk.run(["backup", "copy.db"]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("copy.db already exists. Name another file.");
  });

  test("on a machine without a database, a backup becomes it", async () => {
    await using desk = newDesk();
    await remember(desk, "something");
    await desk.run(["backup", "copy.db"]);
    await using other = newDesk();
    const ran = await other.run(["restore", join(desk.home, "copy.db")]);
    expect(ran.out).toContain("There was none before.");
    expect(remembered(database(other))).toEqual(["something"]);
  });

  test("where there is no database yet, none is made to be copied", async () => {
    await using desk = newDesk();
    const ran = await desk.run(["backup"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(`There is no database yet: ${database(desk)} is made`);
    expect(existsSync(database(desk))).toBe(false);
  });

  test("nothing is touched while somebody has the database open, or when the file is none", async () => {
    await using desk = newDesk();
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
    await using desk = newDesk();
    const env = { TUITBOT_STORAGE__URL: "postgres://somebody:secret@127.0.0.1:1/x" };
    const ran = await desk.run([name, ...words], { env });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(`Use ${tool} for it.`);
    expect(ran.err).not.toContain("secret");
    expect(existsSync(database(desk))).toBe(false);
  });
});

function database({ home }: Desk): string {
  return join(home, ".tuitbot/tuitbot.db");
}

/** Something in the database that can be told from something else. */
async function remember(desk: Desk, sha256: string): Promise<void> {
  const store = await openStore({ path: database(desk) }, { now: Date.now });
  if (!store.ok) throw store.failure;
  const row = { account: "1", media_id: sha256, sha256, uploaded_at: 1 };
  await store.value.db.insertInto("media").values(row).execute();
  await store.value.close();
}

function remembered(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare("select sha256 from media order by rowid")
      .all()
      .map(({ sha256 }) => sha256);
  } finally {
    database.close();
  }
}
