import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { ACCOUNT_TABLES, ForgottenAccount, overAllAccounts } from "../../src/storage/account-check.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { prepared } from "../../src/storage/transaction.ts";

const opened = await openStore({ path: ":memory:" }, { now: Date.now, checksAccounts: true });
if (!opened.ok) throw opened.failure;
const { db, transaction, close } = opened.value;

afterAll(close);

const forgetful: Readonly<Record<string, () => Promise<unknown>>> = {
  "a read": () => db.selectFrom("drafts").selectAll().where("id", "=", 1).execute(),
  "a read of all": () => db.selectFrom("audit").select("tool").execute(),
  "a change": () => db.updateTable("approvals").set({ status: "rejected" }).where("id", "=", 1).execute(),
  "a deletion": () => db.deleteFrom("publications").where("published_at", "<", 1).execute(),
  "a row without an account": () =>
    // As a row that came from somewhere else would be.
    db
      .insertInto("stops")
      .values({ stopped_at: 1, stopped_by: "me", reason: null } as never)
      .execute(),
  "a table that is joined": () =>
    db
      .selectFrom("agents")
      .innerJoin("ledger", "ledger.caller", "agents.name")
      .select("ledger.operation")
      .execute(),
  "a statement inside of another": () =>
    db
      .selectFrom("drafts")
      .select("id")
      .where("account", "=", "me")
      .where("id", "in", db.selectFrom("scheduled_posts").select("draft_id"))
      .execute(),
  "a part of a statement": () =>
    db
      .with("open", (part) => part.selectFrom("receipts").select("id"))
      .selectFrom("open")
      .select("id")
      .execute(),
  "a statement by hand": () => sql`select count(*) from "ledger" where failed = 1`.execute(db),
  "one with the table apart": () => sql`delete from ${sql.table("steps")}`.execute(db),
  "one in a transaction": () => transaction((own) => own.selectFrom("receipts").select("id").execute()),
  "one that is prepared": () =>
    prepared((own, the: { readonly id: string }) =>
      own.selectFrom("receipts").select("id").where("id", "=", the.id),
    )(db, { id: "1" }),
};

test.each(Object.entries(forgetful))("%s that forgets its account is refused as a bug", async (_, run) => {
  await expect((async () => run())()).rejects.toBeInstanceOf(ForgottenAccount);
});

test("what says its account, and what says why it needs none, is carried out", async () => {
  await db.selectFrom("drafts").selectAll().where("drafts.account", "=", "me").execute();
  await db
    .insertInto("stops")
    .values({ account: "me", stopped_at: 1, stopped_by: "me", reason: null })
    .execute();
  await sql`select 1 from drafts where account = ${"me"}`.execute(db);
  await sql`pragma user_version`.execute(db);
  expect(await overAllAccounts(db, "inspection").selectFrom("stops").select("account").execute()).toEqual([
    { account: "me" },
  ]);
  await db.selectFrom("agents").selectAll().execute();
});

test("every table with accounts is known to it", async () => {
  const { rows } = await sql<{ name: string }>`select m.name from sqlite_master m where m.type = 'table'
    and exists (select 1 from pragma_table_info(m.name) c where c.name = 'account')`.execute(db);
  expect([...ACCOUNT_TABLES].sort()).toEqual(rows.map(({ name }) => name).sort());
});
