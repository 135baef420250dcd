import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Check } from "@toolpact/cli";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { checkDatabase } from "../../src/cli/doctor/check-database.ts";
import { checkApprovalKey, checkBudget, checkServerToken } from "../../src/cli/doctor/check-machine.ts";
import { type Config, configSchema } from "../../src/config/schema.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

const folder = await mkdtemp(join(tmpdir(), "tuitbot-doctor-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

function configWith(storage: object): Config {
  return configSchema.parse({ storage });
}

async function databaseCheck(config: Config): Promise<Check> {
  const found = (await checkDatabase(config, Date.now())).find(({ name }) => name === "database");
  if (found === undefined) throw new Error("The database was not checked.");
  return found;
}

onBothEngines("the doctor's look at a database", (stores) => {
  test("reports engine, size and state without the address", async () => {
    const { url, path } = await stores.place();
    await (await stores.open({ url, path })).close();
    const check = await databaseCheck(configWith({ ...(url && { url }), db_path: path }));
    expect(check).toMatchObject({ status: "ok" });
    expect(check.message).toContain(`(${stores.engine}, `);
    expect(check.message).toMatch(/\d+ (kB|MB), intact, can be written, up to date\)/);
    if (url !== undefined) expect(JSON.stringify(check)).not.toContain(new URL(url).host);
  });

  test("finds damage that no query has met yet", async () => {
    const { url, path } = await stores.place();
    const store = await stores.open({ url, path });
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ account: "1", period: `p${id}`, micros: id }));
    await store.db.insertInto("spend").values(rows).execute();
    if (url !== undefined)
      await sql`update pg_index set indisvalid = false where indexrelid = 'spend_pkey'::regclass`.execute(
        store.db,
      );
    await store.close();
    if (url === undefined) await damage(path, "p1000");
    expect(await databaseCheck(configWith({ ...(url && { url }), db_path: path }))).toMatchObject({
      status: "failed",
      message: expect.stringContaining("it is damaged: "),
      fix: expect.stringContaining("restore a backup"),
    });
  });

  test("changes nothing in a database that nobody has used yet", async () => {
    const { url, path } = await stores.bare();
    const first = await databaseCheck(configWith({ ...(url && { url }), db_path: path }));
    expect(first).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/will be made|0 migrations made, \d+ to come/),
    });
  });
});

test("a file that is no database is broken, and says what to do", async () => {
  const db_path = join(folder, "tuitbot.db");
  await writeFile(db_path, "These are no tables, however long one looks at them. ".repeat(100));
  expect(await databaseCheck(configWith({ db_path }))).toMatchObject({
    status: "failed",
    message: expect.stringContaining("not a database"),
    fix: expect.stringContaining("restore a backup"),
  });
});

test("a database that was deleted under a running server is not taken for one that nobody has used", async () => {
  const db_path = join(folder, "deleted.db");
  const opened = await openStore({ path: db_path }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  await rm(db_path);
  expect(await databaseCheck(configWith({ db_path }))).toMatchObject({
    status: "failed",
    message: expect.stringContaining("was deleted while a server had it open"),
    fix: expect.stringContaining("restore a backup"),
  });
  await opened.value.close();
});

test("spending without caps is a warning", () => {
  expect(checkBudget(configSchema.parse({}))).toMatchObject({ status: "ok" });
  expect(checkBudget(configSchema.parse({ budget: { unlimited: true } }))).toMatchObject({
    status: "warning",
  });
});

test("a key or a token that others can read is broken, and so is half a key", async () => {
  const key_file = join(folder, "approval.key");
  const { approvals } = configSchema.parse({ approvals: { key_file } });
  expect(await checkApprovalKey({ approvals })).toMatchObject({ status: "ok" });
  await writeFile(key_file, "0".repeat(64), { mode: 0o644 });
  const exposed = { status: "failed", fix: expect.stringContaining("chmod 600") };
  expect(await checkApprovalKey({ approvals })).toMatchObject(exposed);
  await writeFile(key_file, "0".repeat(10));
  expect(await checkApprovalKey({ approvals })).toMatchObject({ status: "failed" });
  const { server } = configSchema.parse({ server: { token_file: join(folder, "server.token") } });
  expect(await checkServerToken({ server })).toMatchObject({ status: "ok" });
  await writeFile(server.token_file, "t".repeat(43), { mode: 0o640 });
  expect(await checkServerToken({ server })).toMatchObject(exposed);
});

/** Overwrites the page of a file that holds a text. */
async function damage(path: string, text: string): Promise<void> {
  const content = await readFile(path);
  const page = Math.floor(content.indexOf(text) / 4096) * 4096;
  content.fill(0xa5, page, page + 4096);
  await writeFile(path, content);
}
