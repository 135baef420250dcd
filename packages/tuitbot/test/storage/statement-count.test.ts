import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/storage/open-store.ts";
import type { Store } from "../../src/storage/store.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, serverOn } from "./world.ts";

const MAX_POST_STATEMENTS = 23;

let folder: string;
let store: Store;
let server: TestServer;
const statements: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tuitbot-statements-"));
  const opened = await openStore(
    { path: join(folder, "tuitbot.db") },
    { now: Date.now, log: ({ query }) => void statements.push(query.sql) },
  );
  if (!opened.ok) throw opened.failure;
  store = opened.value;
  server = serverOn(store, newSandbox());
  // The first call of a kind asks who is signed in, and what earlier processes left behind.
  await server.call("x_post_tweet", { text: "Before" });
  await server.call("x_get_user_by_username", { username: cast.friend });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The statements of one call, and the number of transactions that write. */
async function costOf(tool: string, args: Parameters<TestServer["call"]>[1]) {
  statements.length = 0;
  expect(await server.call(tool, args)).toMatchObject({ success: true });
  const isWrite = (sql: string) => /^(insert|update|delete)\b/i.test(sql);
  let open = false;
  let alone = 0;
  for (const sql of statements) {
    if (/^begin/i.test(sql)) open = true;
    else if (/^(commit|rollback)/i.test(sql)) open = false;
    else if (!open && isWrite(sql)) alone += 1;
  }
  const begun = statements.filter((sql) => /^begin/i.test(sql)).length;
  return { statements: statements.length, writeTransactions: begun + alone };
}

test("a guarded post writes three times: its receipt, its request before it leaves, and how both ended", async () => {
  const { statements, writeTransactions } = await costOf("x_post_tweet", { text: "Counted" });
  expect(writeTransactions).toBe(3);
  // The published latency of a guarded post depends on it.
  expect(statements).toBeLessThanOrEqual(MAX_POST_STATEMENTS);
});

test("a read writes twice: the money that it may cost, and what it has cost", async () => {
  const { writeTransactions } = await costOf("x_get_user_by_username", { username: cast.friend });
  expect(writeTransactions).toBe(2);
});
