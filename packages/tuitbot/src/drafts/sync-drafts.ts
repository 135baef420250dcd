import { setImmediate } from "node:timers/promises";
import { type Failure, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { expireOld, findPendingItem } from "../approval/queue.ts";
import { identityOf } from "../guards/receipts/receipt.ts";
import { findReceipt } from "../guards/receipts/receipt-queries.ts";
import type { Database } from "../storage/database.ts";
import type { DraftNewsRow } from "../storage/tables/counter-tables.ts";
import type { DraftRow } from "../storage/tables/draft-tables.ts";
import { prepared, transact } from "../storage/transaction.ts";
import { listIn, objectIn } from "../x/shapes/x-object.ts";
import { type Draft, type DraftContext, draftFrom, partlyPublished } from "./draft.ts";
import { draftKey, postingCall } from "./publish-draft.ts";
import { cancelSchedule, restoreSchedule } from "./schedule.ts";
import { changeDraft, changeDraftIn, type DraftColumns } from "./store-draft.ts";

/** After a publishing process, the schedule or the queue has changed them. */
export async function syncDrafts(context: DraftContext): Promise<void> {
  await expireOld(context.store.db, context.account, context.now());
  await syncPublishing(context);
  for (let news = await newsOf(context); news.length > 0; news = await newsOf(context)) {
    const ids = news.map(({ draft_id }) => draft_id);
    const refused = await syncRefused(context, ids);
    const scheduled = await syncScheduled(context, ids);
    // They may be decided by now.
    const queued = await syncQueued(context, ids);
    const left = new Set([...refused, ...scheduled, ...queued]);
    const read = news.filter(({ draft_id }) => !left.has(draft_id));
    for (const row of read) await readNews(context.store.db, row);
    // Another process updates the others.
    if (read.length === 0) return;
    await setImmediate();
  }
}

const MAX_AT_ONCE = 100;

function newsOf({ store, account }: DraftContext): Promise<readonly DraftNewsRow[]> {
  return store.db
    .selectFrom("draft_news")
    .selectAll()
    .where("account", "=", account)
    .orderBy("draft_id")
    .limit(MAX_AT_ONCE)
    .execute();
}

const readNews = prepared((db, { account, draft_id, news }: DraftNewsRow) =>
  db
    .deleteFrom("draft_news")
    .where("account", "=", account)
    .where("draft_id", "=", draft_id)
    .where("news", "=", news),
);

/** Changed by somebody else meanwhile. */
type Failed = readonly number[];

/** Their receipt has the outcome. */
async function syncPublishing(context: DraftContext): Promise<void> {
  const { store, account, now } = context;
  const left = await store.db
    .selectFrom("drafts")
    .selectAll()
    .where("account", "=", account)
    .where("status", "=", "publishing")
    .where("lease_until", "<=", now())
    .execute();
  for (const draft of left.map(draftFrom))
    await transact(store, async (db) => {
      const found = await outcomeOf(db, context, draft);
      return found === undefined
        ? ok(draft)
        : changeDraftIn(db, context, draft, found, { what: found.status, by: "receipt" });
    });
}

/** Undefined while unknown. */
async function outcomeOf(
  db: Kysely<Database>,
  context: DraftContext,
  draft: Draft,
): Promise<(DraftColumns & Pick<DraftRow, "status">) | undefined> {
  const { account } = context;
  const { claim } = identityOf(account, ...postingCall(draft, draftKey(draft)));
  const receipt = await findReceipt(db, account, { claim });
  if (receipt === undefined) {
    const item = await findPendingItem(db, account, claim);
    return item === undefined ? restoreSchedule(db, context, draft) : { status: "queued", approval_id: item };
  }
  if (receipt.state === "pending" || receipt.state === "unknown") return undefined;
  const ids = await db
    .selectFrom("publications")
    .select("post_id")
    .where("account", "=", account)
    .where("receipt_id", "=", receipt.id)
    .orderBy("position")
    .execute();
  // A resumed call's receipt lacks earlier posts.
  const before = listIn(objectIn(draft.result), "thread_tweet_ids").map(String);
  const thread_tweet_ids = [...new Set([...before, ...ids.map(({ post_id }) => post_id)])];
  if (receipt.state === "failed")
    return { status: "draft", scheduled_for: null, result_json: JSON.stringify({ thread_tweet_ids }) };
  const answer = draft.texts.length > 1 ? { thread_tweet_ids } : { id: thread_tweet_ids[0] ?? null };
  const result_json = receipt.result_json ?? JSON.stringify(answer);
  return { status: "published", result_json, resume: null, scheduled_for: null };
}

/** Rejected or expired. */
async function syncRefused(context: DraftContext, ids: readonly number[]): Promise<Failed> {
  const refused = await context.store.db
    .selectFrom("drafts")
    .innerJoin("approvals", "approvals.id", "drafts.approval_id")
    .selectAll("drafts")
    .select(["approvals.status as decision", "approvals.note as why"])
    .where("drafts.account", "=", context.account)
    .where("drafts.id", "in", ids)
    .where("drafts.status", "=", "scheduled")
    .where("approvals.schedule_json", "is not", null)
    .where("approvals.status", "in", ["rejected", "expired"])
    .execute();
  const left: number[] = [];
  for (const { decision, why, ...row } of refused) {
    const draft = draftFrom(row);
    const note = why ?? (decision === "expired" ? "Nobody approved it in time." : undefined);
    const changed = await transact(context.store, async (db) => {
      if (!(await cancelSchedule(db, context, draft))) return ok(draft);
      // A series repeats a few texts, useless as drafts.
      const status = draft.series === undefined ? "draft" : "discarded";
      const columns = { status, scheduled_for: null } as const;
      return changeDraftIn(db, context, draft, columns, { what: decision, by: "approval", note });
    });
    if (!changed.ok) left.push(draft.id);
  }
  return left;
}

/** Published, queued, failed, or partly published. */
async function syncScheduled(context: DraftContext, ids: readonly number[]): Promise<Failed> {
  const heard = await context.store.db
    .selectFrom("drafts")
    .innerJoin("scheduled_posts", "scheduled_posts.id", "drafts.schedule_id")
    .selectAll("drafts")
    .select([
      "scheduled_posts.status as scheduleStatus",
      "scheduled_posts.approval_id as item",
      "scheduled_posts.post_id as post",
      "scheduled_posts.error_json as error",
      "scheduled_posts.texts_json as sent",
    ])
    .where("drafts.account", "=", context.account)
    .where("drafts.id", "in", ids)
    .where("drafts.status", "=", "scheduled")
    .where((eb) =>
      eb.or([
        eb("scheduled_posts.status", "in", ["posted", "queued", "failed"]),
        eb.and([
          eb("scheduled_posts.status", "=", "scheduled"),
          eb("scheduled_posts.error_json", "is not", null),
        ]),
      ]),
    )
    .execute();
  const left: number[] = [];
  for (const { scheduleStatus, item, post, error, sent, ...row } of heard) {
    const draft = draftFrom(row);
    const failure = failureIn(error);
    const change = async (columns: DraftColumns, what: string, note?: string) => {
      const changed = await changeDraft(context, draft, columns, { what, by: "schedule", note });
      if (!changed.ok) left.push(draft.id);
    };
    if (scheduleStatus === "posted") {
      const result_json = JSON.stringify(await answerFor(context, post));
      // The person may have edited the texts.
      const texts = sent === row.texts_json ? {} : { texts_json: sent };
      await change({ status: "published", result_json, resume: null, ...texts }, "published");
    } else if (scheduleStatus === "scheduled") {
      const out = failure && partlyPublished(failure);
      if (out?.result_json === undefined || out.result_json === row.result_json) continue;
      await change(out, "cut", failure?.message);
    } else if (scheduleStatus === "queued") await change({ status: "queued", approval_id: item }, "queued");
    else {
      const out = failure && partlyPublished(failure);
      await change({ status: "draft", scheduled_for: null, ...out }, "failed", failure?.message);
    }
  }
  return left;
}

/** The schedule stores only the first post. */
async function answerFor({ store, account }: DraftContext, first: string | null) {
  const rows = await store.db
    .selectFrom("publications as root")
    .innerJoin("publications as post", (join) =>
      join.onRef("post.account", "=", "root.account").onRef("post.receipt_id", "=", "root.receipt_id"),
    )
    .select("post.post_id")
    .where("root.account", "=", account)
    .where("root.post_id", "=", first)
    .orderBy("post.position")
    .execute();
  return rows.length > 1 ? { thread_tweet_ids: rows.map(({ post_id }) => post_id) } : { id: first };
}

async function syncQueued(context: DraftContext, ids: readonly number[]): Promise<Failed> {
  const ended = await context.store.db
    .selectFrom("drafts")
    .innerJoin("approvals", "approvals.id", "drafts.approval_id")
    .selectAll("drafts")
    .select([
      "approvals.status as ended",
      "approvals.result_json as answer",
      "approvals.error_json as error",
      "approvals.note as why",
      "approvals.args_json as args",
    ])
    .where("drafts.account", "=", context.account)
    .where("drafts.id", "in", ids)
    .where("drafts.status", "=", "queued")
    .where("approvals.status", "in", ["executed", "failed", "rejected", "expired"])
    .execute();
  const left: number[] = [];
  for (const { ended: end, answer, error, why, args, ...row } of ended) {
    const isOut = end === "executed";
    const failure = failureIn(error);
    const changed = await changeDraft(
      context,
      draftFrom(row),
      isOut
        ? { status: "published", result_json: answer, texts_json: textsIn(args), resume: null }
        : { status: "draft", scheduled_for: null, ...(failure && partlyPublished(failure)) },
      { what: isOut ? "published" : end, by: "approval", note: failure?.message ?? why ?? undefined },
    );
    if (!changed.ok) left.push(row.id);
  }
  return left;
}

/** The person may have edited them. */
function textsIn(argsJson: string): string {
  // Written as a posting call's arguments.
  const { text, tweets } = JSON.parse(argsJson) as { readonly text?: string; readonly tweets?: string[] };
  return JSON.stringify(tweets ?? [text]);
}

function failureIn(errorJson: string | null): Failure | undefined {
  // Written as a call's failure.
  return errorJson === null ? undefined : (JSON.parse(errorJson) as Failure);
}
