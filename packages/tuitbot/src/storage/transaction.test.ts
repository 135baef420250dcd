import { expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import { prepared } from "./transaction.ts";

interface Spent {
  readonly account: string;
  readonly period: string;
  readonly micros: number;
}

test("a statement is built once, and each time carried out with the values of then", async () => {
  let built = 0;
  const insert = prepared((db, spent: Spent) => {
    built += 1;
    return db.insertInto("spend").values(spent).returning("period");
  });
  const selectAbove = prepared((db, the: Pick<Spent, "account" | "micros">) =>
    db
      .selectFrom("spend")
      .select("period")
      .where("account", "=", the.account)
      .where("micros", ">", the.micros),
  );
  const opened = await openStore({ path: ":memory:" }, { now: () => 0 });
  if (!opened.ok) throw opened.failure;
  const { db, transaction, close } = opened.value;

  expect((await insert(db, { account: "1", period: "a", micros: 5 })).rows).toEqual([{ period: "a" }]);
  // By name, in any order.
  await transaction((within) => insert(within, { micros: 7, period: "b", account: "1" }));
  expect(built).toBe(1);
  expect((await selectAbove(db, { account: "1", micros: 4 })).rows).toHaveLength(2);
  expect((await selectAbove(db, { account: "1", micros: 6 })).rows).toEqual([{ period: "b" }]);
  expect((await selectAbove(db, { account: "2", micros: 0 })).rows).toEqual([]);
  await close();
});
