import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import type { Database } from "../../src/storage/database.ts";
import { StorageError } from "../../src/storage/storage-error.ts";
import { withCommit } from "../../src/storage/transaction.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

onBothEngines("statements that are sent together", (stores) => {
  async function opened() {
    const store = await stores.open();
    await sql`create table things (name text primary key)`.execute(store.db);
    const names = async () => {
      const { rows } = await sql<{ name: string }>`select name from things order by name`.execute(store.db);
      return rows.map(({ name }) => name);
    };
    return { ...store, names };
  }

  function add(db: Kysely<Database>, name: string): Promise<unknown> {
    return sql`insert into things values (${name})`.execute(db);
  }

  test("run in order and persist with the commit", async () => {
    const { transaction, names } = await opened();
    const [, found] = await transaction((db) =>
      Promise.all([add(db, "a"), sql<{ name: string }>`select name from things`.execute(db), add(db, "b")]),
    );
    expect(found.rows).toEqual([{ name: "a" }]);
    expect(await names()).toEqual(["a", "b"]);
  });

  test("are all rolled back if one of them fails", async () => {
    const { transaction, names, db } = await opened();
    await add(db, "b");
    await expect(
      transaction((inner) => Promise.all([add(inner, "a"), add(inner, "b"), add(inner, "c")])),
    ).rejects.toThrow(StorageError);
    expect(await names()).toEqual(["b"]);
    // The connection is as good as before.
    await transaction((inner) => Promise.all([add(inner, "a"), add(inner, "c")]));
    expect(await names()).toEqual(["a", "b", "c"]);
  });

  test("are rolled back if the last one, sent with the commit, fails", async () => {
    const { transaction, durableTransaction, names, db } = await opened();
    await add(db, "b");
    for (const inTransaction of [transaction, durableTransaction])
      await expect(
        inTransaction(async (inner) => {
          await add(inner, "a");
          withCommit(inner, add(inner, "b"), add(inner, "c"));
          return "done";
        }),
      ).rejects.toThrow(StorageError);
    expect(await names()).toEqual(["b"]);
    const left = await transaction(async (inner) => {
      withCommit(inner, add(inner, "a"));
      return "done";
    });
    expect([left, await names()]).toEqual(["done", ["a", "b"]]);
  });

  test("are rolled back if the work fails earlier or has not begun", async () => {
    const { transaction, names } = await opened();
    await expect(
      transaction(async (inner) => {
        withCommit(inner, add(inner, "a"));
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await expect(transaction(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await transaction(async () => {});
    await transaction(async (inner) => void (await add(inner, "b")));
    expect(await names()).toEqual(["b"]);
  });

  test("are rejected after the end of their transaction", async () => {
    const { transaction, names, db } = await opened();
    await add(db, "b");
    const ended = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    await expect(
      transaction((inner) => {
        // Continues after the other has failed, as work does that awaits separate answers.
        void ended.promise.then(() => add(inner, "late")).then(late.resolve, late.reject);
        return add(inner, "b");
      }),
    ).rejects.toThrow(StorageError);
    const refused = expect(late.promise).rejects.toThrow("has ended");
    ended.resolve();
    await transaction((inner) => add(inner, "c"));
    await refused;
    expect(await names()).toEqual(["b", "c"]);
  });
});
