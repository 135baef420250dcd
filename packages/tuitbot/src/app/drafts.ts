import { ok } from "@toolpact/outcome";
import type { DraftContext } from "../drafts/draft.ts";
import { draftView, revisionView } from "../drafts/draft-view.ts";
import { findDraft, listDrafts, listRevisions } from "../drafts/find-draft.ts";
import type { Services } from "./services.ts";

const MAX_DRAFTS = 500;

/** The open drafts, or those with a status; with `id`, that draft and its revisions. */
export async function draftsFor(
  { id, status }: { readonly id?: number | undefined } & Pick<Parameters<typeof listDrafts>[1], "status">,
  { db, workflow }: Pick<Services, "db" | "workflow">,
) {
  const book = { ...db, now: workflow.now };
  if (id === undefined) {
    const { items } = await listDrafts(book, { status, isExpanded: true, limit: MAX_DRAFTS });
    return ok({ drafts: items.map(draftView), revisions: [] });
  }
  const found = await draftWithRevisions(book, id);
  return found.ok ? ok({ drafts: [found.value.draft], revisions: found.value.revisions }) : found;
}

export async function draftWithRevisions(book: DraftContext, id: number) {
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const revisions = await listRevisions(book, id);
  return ok({ draft: draftView(found.value), revisions: revisions.map(revisionView) });
}
