import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/storage/open-store.ts";

test("a database of another program is refused, and its tables and rows stay as they are", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-foreign-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "tuitbot.db");
  const foreign = new DatabaseSync(path);
  foreign.exec("create table approval_queue (id integer primary key, status text)");
  foreign.exec("insert into approval_queue (status) values ('pending')");
  foreign.close();

  const opened = await openStore({ path }, { now: Date.now });

  expect(opened).toMatchObject({
    ok: false,
    failure: {
      message:
        "The database belongs to another program (it has the table approval_queue). Set storage.db_path to another file.",
    },
  });
  using after = new DatabaseSync(path, { readOnly: true });
  expect(after.prepare("select name from sqlite_master").all()).toEqual([{ name: "approval_queue" }]);
  expect(after.prepare("select id, status from approval_queue").all()).toEqual([
    { id: 1, status: "pending" },
  ]);
});
