import type { Failure } from "@toolpact/contract";
import { objectIn, textIn } from "../../shapes/x-object.ts";
import { type DraftBook, draftFrom } from "./draft.ts";
import { changeDraft } from "./keep-draft.ts";

/** Lets drafts know what has become of them elsewhere: on schedule, or with the person who was asked. */
export async function catchUp(book: DraftBook): Promise<void> {
  await Promise.all([afterSchedule(book), afterApproval(book)]);
}

async function afterSchedule(book: DraftBook): Promise<void> {
  const ended = await book.store.db
    .selectFrom("drafts")
    .innerJoin("scheduled_posts", "scheduled_posts.id", "drafts.schedule_id")
    .selectAll("drafts")
    .select([
      "scheduled_posts.status as ended",
      "scheduled_posts.approval_id as item",
      "scheduled_posts.post_id as post",
      "scheduled_posts.error_json as error",
    ])
    .where("drafts.account", "=", book.account)
    .where("drafts.status", "=", "scheduled")
    .where("scheduled_posts.status", "in", ["posted", "queued", "failed"])
    .execute();
  for (const { ended: end, item, post, error, ...row } of ended) {
    const draft = draftFrom(row);
    const { note, resume } = troubleIn(error);
    const change = { by: "schedule", note };
    if (end === "posted")
      await changeDraft(
        book,
        draft,
        { status: "published", result_json: JSON.stringify({ id: post }) },
        { ...change, what: "published" },
      );
    else if (end === "queued")
      await changeDraft(book, draft, { status: "queued", approval_id: item }, { ...change, what: "queued" });
    else
      await changeDraft(
        book,
        draft,
        { status: "draft", scheduled_for: null, resume },
        { ...change, what: "failed" },
      );
  }
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
    const { note, resume } = troubleIn(error);
    await changeDraft(
      book,
      draftFrom(row),
      isOut
        ? { status: "published", result_json: answer, texts_json: textsIn(args) }
        : { status: "draft", scheduled_for: null, resume },
      { what: isOut ? "published" : end, by: "approval", note: note ?? why ?? undefined },
    );
  }
}

/** What went out: the person may have put other words in place of the draft's. */
function textsIn(argsJson: string): string {
  // Written by this product as the arguments of a call that posts.
  const { text, tweets } = JSON.parse(argsJson) as { readonly text?: string; readonly tweets?: string[] };
  return JSON.stringify(tweets ?? [text]);
}

/** Why it is not out, and the handle of a thread of which a part is. */
function troubleIn(errorJson: string | null): { readonly note?: string; readonly resume: string | null } {
  if (errorJson === null) return { resume: null };
  // Written by this product as the failure of a call.
  const { message, details } = JSON.parse(errorJson) as Failure;
  return { note: message, resume: textIn(objectIn(details), "resume") ?? null };
}
