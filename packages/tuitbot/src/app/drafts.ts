import { ok } from "@toolpact/outcome";
import { addComment, commentsOf, removeComment } from "../drafts/comments.ts";
import type { Draft, DraftContext } from "../drafts/draft.ts";
import type { DraftMedia } from "../drafts/draft-media.ts";
import type { DraftOptions } from "../drafts/draft-options.ts";
import { draftView, revisionView } from "../drafts/draft-view.ts";
import { checkContent, createScheduled, editDraft } from "../drafts/edit-draft.ts";
import { findDraft, listDrafts, listRevisions } from "../drafts/find-draft.ts";
import type { ScheduledCall } from "../drafts/schedule.ts";
import { errors } from "../errors.ts";
import type { PersonSession } from "./approvals.ts";
import type { Services } from "./services.ts";

const MAX_DRAFTS = 500;

/** Open ones, those of a status, or one with its revisions and comments. */
export async function draftsFor(
  { id, status }: { readonly id?: number | undefined } & Pick<Parameters<typeof listDrafts>[1], "status">,
  { db, workflow }: Pick<Services, "db" | "workflow">,
) {
  const book = { ...db, now: workflow.now };
  if (id === undefined) {
    const { items } = await listDrafts(book, { status, isExpanded: true, limit: MAX_DRAFTS });
    return ok({ drafts: items.map(fullView), revisions: [], comments: [] });
  }
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const revisions = (await listRevisions(book, id)).map(revisionView);
  return ok({ drafts: [fullView(found.value)], revisions, comments: await commentsOf(book, id) });
}

export async function draftWithRevisions(book: DraftContext, id: number) {
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const revisions = await listRevisions(book, id);
  return ok({ draft: draftView(found.value), revisions: revisions.map(revisionView) });
}

export function draftBook({ db, workflow, signal }: Pick<PersonSession, "db" | "workflow" | "signal">) {
  const { now, slots, access, mediaRoots } = workflow;
  const ask = (call: ScheduledCall) => workflow.askToSchedule(call, signal);
  return { ...db, now, slots, access, mediaRoots, ask };
}

export function fullView(draft: Draft) {
  return { ...draftView(draft), options: draft.options };
}

interface SavedContent {
  /** Undefined for a new draft. */
  readonly id?: number | undefined;
  readonly revision?: number | undefined;
  readonly texts: readonly string[];
  readonly media: readonly DraftMedia[];
  readonly options?: DraftOptions | undefined;
}

/** As a new draft, or as a draft's next revision. */
export async function saveDraft(
  { id, revision, texts, media, options = {} }: SavedContent,
  session: PersonSession,
) {
  const { by } = session;
  const book = draftBook(session);
  if (id !== undefined) {
    const edited = await editDraft(book, id, { texts, media, options, revision, by });
    return edited.ok ? ok(fullView(edited.value)) : edited;
  }
  const usable = await checkContent(book, texts, media, options);
  if (!usable.ok) return usable;
  const created = await createScheduled(book, { texts, media, options, by }, undefined);
  return created.ok ? ok(fullView(created.value)) : created;
}

/** Or removes the user's own or an agent's. Returns the rest. */
export async function commentOnDraft(
  {
    id,
    text,
    remove,
  }: { readonly id: number; readonly text?: string | undefined; readonly remove?: number | undefined },
  { db, workflow, by }: PersonSession,
) {
  const book = { ...db, now: workflow.now };
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  if (remove !== undefined && !(await removeComment(book, remove, by)))
    return errors.fail("not_found", "There is no such comment, or another person wrote it.");
  if (text !== undefined)
    await addComment(db.store.db, book, { draft: id, author: by, isAgent: false, text });
  return ok({ comments: await commentsOf(book, id) });
}
