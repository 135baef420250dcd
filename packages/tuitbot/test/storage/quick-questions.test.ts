import { type LogEvent, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCandidates } from "../../src/autopilot/candidates.ts";
import type { Pass } from "../../src/autopilot/pass.ts";
import { abandonedReceipts, unsettledCount } from "../../src/mutation/receipts/receipt-queries.ts";
import { openStore } from "../../src/storage/open-store.ts";
import type { Store } from "../../src/storage/store.ts";

let store: Store;
let asked: string[];
beforeEach(async () => {
  asked = [];
  const log = ({ query }: LogEvent) => void asked.push(query.sql);
  const opened = await openStore({ path: ":memory:" }, { now: () => 0, log });
  if (!opened.ok) throw opened.failure;
  store = opened.value;
  asked = [];
});
afterEach(() => store.close());

/** What every pass asks first: it must not take longer with every year that the database grows. */
test.each([
  ["what waits for an answer", "discovered_open", () => openCandidates(pass(), "mention", 0)],
  ["what earlier processes left behind", "receipts_open", () => abandonedReceipts(store.db, "1", 0)],
  ["how much is not settled", "receipts_open", () => unsettledCount(store.db, "1")],
])("SQLite finds %s by an index of its own", async (_, index, ask) => {
  await ask();
  const [statement = ""] = asked;
  const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(statement)}`.execute(store.db);
  expect(rows.map(({ detail }) => detail).join("\n")).toContain(`INDEX ${index} `);
});

/** As much of a pass as a question needs. */
function pass(): Pass {
  return { store, account: "1", now: () => 0 } as unknown as Pass;
}
