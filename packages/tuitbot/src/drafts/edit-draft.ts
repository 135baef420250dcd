import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { Kysely } from "kysely";
import { errors } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { transact } from "../storage/transact.ts";
import { refusedText } from "../x/toolkit/post-text.ts";
import { changedMeanwhile, type Draft, type DraftBook, goingOut, notNow } from "./draft.ts";
import { findDraft } from "./find-draft.ts";
import { changeDraftIn, OPEN } from "./keep-draft.ts";
import { unacceptedLinks } from "./link-price.ts";
import { unschedule } from "./where-it-was.ts";

type Refusal = "not_found" | "validation_error";

export interface Edit {
  readonly texts: readonly string[];
  /** The revision that was edited, where the editor knows it. */
  readonly revision?: number | undefined;
  readonly by: string;
}

/** Puts other texts in place of those of a draft. What X would not take is refused. */
export async function editDraft(
  book: DraftBook & { readonly access: Access },
  id: number,
  { texts, revision, by }: Edit,
): Promise<Outcome<Draft, Failure<Refusal | "invalid_input" | "tweet_too_long" | "x_forbidden">>> {
  for (const text of texts) {
    const refusal = refusedText(text, { access: book.access, isReply: false, hasMedia: false });
    if (refusal !== undefined) return refusal;
  }
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (!OPEN.has(draft.status)) return notNow(draft);
  if (draft.result !== undefined) return partlyOut(draft);
  if (revision !== undefined && revision !== draft.revision) return changedMeanwhile(id);
  const links = draft.scheduledFor === undefined ? undefined : unacceptedLinks(texts);
  if (links !== undefined) return scheduleAnew(links.failure);
  const texts_json = JSON.stringify(texts);
  return transact(book.store, async (db) => {
    if (!(await unschedule(db, book, draft))) return goingOut(draft);
    const { scheduledFor } = draft;
    const edited = { ...draft, texts };
    const schedule_id =
      scheduledFor === undefined ? null : await insertSchedule(db, book, edited, scheduledFor);
    return changeDraftIn(db, book, draft, { texts_json, schedule_id }, { what: "edited", by });
  });
}

export interface ScheduleWish {
  readonly dueAt: number;
  /** Yes to what X charges for a link. */
  readonly acceptUrlPrice?: boolean | undefined;
  readonly by: string;
}

/** Lets a draft go out by itself; again, to have it go out at another time. */
export async function scheduleDraft(
  book: DraftBook,
  id: number,
  { dueAt, acceptUrlPrice = false, by }: ScheduleWish,
): Promise<Outcome<Draft, Failure<Refusal>>> {
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (!OPEN.has(draft.status)) return notNow(draft);
  if (draft.result !== undefined) return partlyOut(draft);
  const links = acceptUrlPrice ? undefined : unacceptedLinks(draft.texts);
  if (links !== undefined) return links;
  return transact(book.store, async (db) => {
    if (!(await unschedule(db, book, draft))) return goingOut(draft);
    const schedule_id = await insertSchedule(db, book, draft, dueAt, acceptUrlPrice);
    const columns = { status: "scheduled", scheduled_for: dueAt, schedule_id } as const;
    return changeDraftIn(db, book, draft, columns, { what: "scheduled", by });
  });
}

/** For good; its revisions are kept. */
export async function discardDraft(
  book: DraftBook,
  id: number,
  by: string,
): Promise<Outcome<Draft, Failure<Refusal>>> {
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (draft.status === "discarded") return ok(draft);
  if (!OPEN.has(draft.status)) return notNow(draft);
  return transact(book.store, async (db) => {
    if (!(await unschedule(db, book, draft))) return goingOut(draft);
    return changeDraftIn(
      db,
      book,
      draft,
      { status: "discarded", scheduled_for: null },
      { what: "discarded", by },
    );
  });
}

async function insertSchedule(
  db: Kysely<Database>,
  { account, now }: DraftBook,
  { id, texts, topic, framework }: Draft,
  dueAt: number,
  acceptsUrlPrice = false,
): Promise<number> {
  const { id: scheduleId } = await db
    .insertInto("scheduled_posts")
    .values({
      account,
      draft_id: id,
      texts_json: JSON.stringify(texts),
      topic: topic ?? null,
      format: framework ?? null,
      due_at: dueAt,
      status: "scheduled",
      created_at: now(),
      lease_until: 0,
      tries: 0,
      approval_id: null,
      post_id: null,
      error_json: null,
      accepts_url_price: acceptsUrlPrice ? 1 : 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return scheduleId;
}

/** The yes was to other words. */
function scheduleAnew(failure: Failure<"validation_error">): Failed<Failure<"validation_error">> {
  return failed({
    ...failure,
    suggestedFix:
      "Discard this one and compose another, or leave the link out: a scheduled text takes no new link.",
  });
}

function partlyOut({ id }: Draft) {
  return errors.fail("validation_error", `Part of draft ${id} is out, so its texts stand.`, {
    suggestedFix: "Call publish_draft to go on, or discard_draft to leave it at that.",
    fixBy: "agent",
    details: { draft_id: id },
  });
}
