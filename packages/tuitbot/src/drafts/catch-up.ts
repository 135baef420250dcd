import { type Failure, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { expireOld, waitingItem } from "../approval/queue.ts";
import { identityOf } from "../mutation/receipts/call-identity.ts";
import { findReceipt } from "../mutation/receipts/receipt-queries.ts";
import type { DraftRow } from "../storage/content-tables.ts";
import type { Database } from "../storage/database.ts";
import { transact } from "../storage/transact.ts";
import { listIn, objectIn } from "../x/shapes/x-object.ts";
import { type Draft, type DraftBook, draftFrom } from "./draft.ts";
import { type Columns, changeDraft, changeDraftIn } from "./keep-draft.ts";
import { partOut } from "./part-out.ts";
import { draftKey, postingCall } from "./posting-call.ts";
import { asBefore } from "./where-it-was.ts";

/** Lets drafts know what has become of them elsewhere: with a publisher, on schedule, or with the person asked. */
export async function catchUp(book: DraftBook): Promise<void> {
  await expireOld(book.store.db, book.account, book.now());
  await afterPublisher(book);
  await afterSchedule(book);
  // What the schedule has handed to a person may be decided by now.
  await afterApproval(book);
}

/** What its receipt knows of a draft whose publisher is gone, or was not told what became of it. */
async function afterPublisher(book: DraftBook): Promise<void> {
  const { store, account, now } = book;
  const left = await store.db
    .selectFrom("drafts")
    .selectAll()
    .where("account", "=", account)
    .where("status", "=", "publishing")
    .where("lease_until", "<=", now())
    .execute();
  for (const draft of left.map(draftFrom))
    await transact(store, async (db) => {
      const found = await foundOf(db, book, draft);
      return found === undefined
        ? ok(draft)
        : changeDraftIn(db, book, draft, found, { what: found.status, by: "receipt" });
    });
}

/** Undefined while nobody knows. */
async function foundOf(
  db: Kysely<Database>,
  book: DraftBook,
  draft: Draft,
): Promise<(Columns & Pick<DraftRow, "status">) | undefined> {
  const { account } = book;
  const { claim } = identityOf(account, ...postingCall(draft.texts, draftKey(draft)));
  const receipt = await findReceipt(db, account, { claim });
  if (receipt === undefined) {
    const item = await waitingItem(db, account, claim);
    return item === undefined ? asBefore(db, book, draft) : { status: "queued", approval_id: item };
  }
  if (receipt.state === "pending" || receipt.state === "unknown") return undefined;
  const ids = await db
    .selectFrom("publications")
    .select("post_id")
    .where("account", "=", account)
    .where("receipt_id", "=", receipt.id)
    .orderBy("position")
    .execute();
  // A call that goes on with a thread has none of what went out before it on its receipt.
  const before = listIn(objectIn(draft.result), "thread_tweet_ids").map(String);
  const thread_tweet_ids = [...new Set([...before, ...ids.map(({ post_id }) => post_id)])];
  if (receipt.state === "failed")
    return { status: "draft", scheduled_for: null, result_json: JSON.stringify({ thread_tweet_ids }) };
  const answer = draft.texts.length > 1 ? { thread_tweet_ids } : { id: thread_tweet_ids[0] ?? null };
  const result_json = receipt.result_json ?? JSON.stringify(answer);
  return { status: "published", result_json, resume: null, scheduled_for: null };
}

/** How the schedule ended it, or that a part of it is out and the rest is to follow. */
async function afterSchedule(book: DraftBook): Promise<void> {
  const heard = await book.store.db
    .selectFrom("drafts")
    .innerJoin("scheduled_posts", "scheduled_posts.id", "drafts.schedule_id")
    .selectAll("drafts")
    .select([
      "scheduled_posts.status as stands",
      "scheduled_posts.approval_id as item",
      "scheduled_posts.post_id as post",
      "scheduled_posts.error_json as error",
    ])
    .where("drafts.account", "=", book.account)
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
  for (const { stands, item, post, error, ...row } of heard) {
    const draft = draftFrom(row);
    const failure = failureIn(error);
    const by = "schedule";
    if (stands === "posted") {
      const result_json = JSON.stringify(await answerFor(book, post));
      const columns = { status: "published", result_json, resume: null } as const;
      await changeDraft(book, draft, columns, { what: "published", by });
    } else if (stands === "scheduled") {
      const out = failure && partOut(failure);
      if (out?.result_json === undefined || out.result_json === row.result_json) continue;
      await changeDraft(book, draft, out, { what: "cut", by, note: failure?.message });
    } else if (stands === "queued")
      await changeDraft(book, draft, { status: "queued", approval_id: item }, { what: "queued", by });
    else
      await changeDraft(
        book,
        draft,
        { status: "draft", scheduled_for: null, ...(failure && partOut(failure)) },
        { what: "failed", by, note: failure?.message },
      );
  }
}

/** What posting it answered, as far as a draft shows it: the schedule keeps the first post alone. */
async function answerFor({ store, account }: DraftBook, first: string | null) {
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

async function afterApproval(book: DraftBook): Promise<void> {
  const ended = await book.store.db
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
    .where("drafts.account", "=", book.account)
    .where("drafts.status", "=", "queued")
    .where("approvals.status", "in", ["executed", "failed", "rejected", "expired"])
    .execute();
  for (const { ended: end, answer, error, why, args, ...row } of ended) {
    const isOut = end === "executed";
    const failure = failureIn(error);
    await changeDraft(
      book,
      draftFrom(row),
      isOut
        ? { status: "published", result_json: answer, texts_json: textsIn(args), resume: null }
        : { status: "draft", scheduled_for: null, ...(failure && partOut(failure)) },
      { what: isOut ? "published" : end, by: "approval", note: failure?.message ?? why ?? undefined },
    );
  }
}

/** What went out: the person may have put other words in place of the draft's. */
function textsIn(argsJson: string): string {
  // Written by this product as the arguments of a call that posts.
  const { text, tweets } = JSON.parse(argsJson) as { readonly text?: string; readonly tweets?: string[] };
  return JSON.stringify(tweets ?? [text]);
}

function failureIn(errorJson: string | null): Failure | undefined {
  // Written by this product as the failure of a call.
  return errorJson === null ? undefined : (JSON.parse(errorJson) as Failure);
}
