import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { type Desk, openDesk } from "./desk.ts";
import { pass } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

test("a pass goes on when one of the calls left behind cannot be settled", async () => {
  desk = await openDesk();
  const { sandbox, services } = desk;
  const { db } = services.db.store;
  sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after", count: 2 });
  sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 20 });
  for (const text of ["Flour", "Water"]) {
    await desk.call("x_post_tweet", { text });
    sandbox.clock.advance(1_000);
  }
  sandbox.faults.clear();
  const receipts = db.selectFrom("receipts").select(["id", "state"]).orderBy("created_at");
  const { id } = await receipts.executeTakeFirstOrThrow();
  await sql`create trigger stuck before update on steps when new.receipt_id = ${sql.lit(id)}
    begin select raise(abort, 'stuck'); end`.execute(db);
  sandbox.clock.advance(600_000);

  expect(await pass(desk, "analytics")).toMatchObject({ analytics: { status: "completed" } });
  expect((await receipts.execute()).map(({ state }) => state)).toEqual(["pending", "confirmed"]);
});
