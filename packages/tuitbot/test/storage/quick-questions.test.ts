import { ok } from "@toolpact/contract";
import { type LogEvent, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recentReplies } from "../../src/analytics/recent-replies.ts";
import { takeSnapshot } from "../../src/app/changes.ts";
import { approvalStorage, decidedItems, expireOld, pendingCount } from "../../src/approval/queue.ts";
import { recentMutations } from "../../src/audit/mutations.ts";
import type { Pass } from "../../src/autopilot/pass.ts";
import { openCandidates } from "../../src/autopilot/replies.ts";
import type { DraftContext } from "../../src/drafts/draft.ts";
import { listDrafts } from "../../src/drafts/find-draft.ts";
import { abandonedReceipts, unsettledCount } from "../../src/guards/receipts/receipt-queries.ts";
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

/** The first queries of every pass: they must not take longer with every year that the database grows. */
test.each([
  ["what waits for an answer", "discovered_open", () => openCandidates(pass(), "mention", 0)],
  ["what earlier processes left behind", "receipts_open", () => abandonedReceipts(store.db, "1", 0)],
  ["how much is not settled", "receipts_open", () => unsettledCount(store.db, "1")],
  ["what was not decided in time", "approvals_expiry", () => expireOld(store.db, "1", 0)],
  ["the latest decisions", "approvals_decided", () => decidedItems(store.db, "1", 10)],
  ["what nobody has expired yet", "approvals_expiry", () => pendingCount(store.db, "1", 0)],
  ["the same that was rejected", "approvals_rejected", () => enqueue()],
  ["the newest changes", "audit_time", () => recentMutations(store.db, "1", { limit: 20 })],
  ["the changes of a tool", "audit_tool", () => recentMutations(store.db, "1", { limit: 20, tool: "t" })],
  [
    "changes that failed",
    "audit_status",
    () => recentMutations(store.db, "1", { limit: 20, status: "failure" }),
  ],
  ["replies that were tried", "receipts_tried", () => recentReplies({ store, account: "1" }, 0, 10)],
  ["changes a page has not received yet", "drafts_changed", () => takeSnapshot(store.db, "1", 0, "runner")],
  ["drafts of one status", "drafts_status", () => listDrafts(book(), { limit: 20 })],
])("SQLite finds %s by a dedicated index, and sorts nothing", async (_, index, ask) => {
  await ask();
  const plans: string[] = [];
  for (const statement of new Set(asked.filter((one) => /^(select|update|delete|with)/.test(one)))) {
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(statement)}`.execute(
      store.db,
    );
    plans.push(rows.map(({ detail }) => detail).join("\n"));
  }
  const plan = plans.find((one) => one.includes(`INDEX ${index} `));
  expect(plan, plans.join("\n\n")).toBeDefined();
  if (index !== "discovered_open" && index !== "receipts_open") expect(plan).not.toContain("TEMP B-TREE");
  expect(plans.join("\n")).not.toMatch(/^SCAN (?!approval_counts)/m);
});

function enqueue(): Promise<unknown> {
  const waiting = {
    claim: "c",
    tool: "x_post_tweet",
    args: { text: "Hello" },
    media: [],
    ruleId: "r",
    reason: "r",
    estimatedMicros: 0,
    correlationId: "c",
    isByPerson: false,
    now: 0,
    expiresAt: 1,
  };
  const about = async () =>
    ok({ account: null, role: null, post: null, thread: [], people: [], unknown: [], read_at: "" });
  const key = async () => ok(new Uint8Array(32));
  return approvalStorage({ store, account: "1" }, key, async () => true).propose(waiting, about);
}

function book(): DraftContext {
  return { store, account: "1", now: () => 0 };
}

/** As much of a pass as a question needs. */
function pass(): Pass {
  return { store, account: "1", now: () => 0 } as unknown as Pass;
}
