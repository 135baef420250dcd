import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { DraftStatus } from "../storage/content-tables.ts";
import { catchUp } from "./catch-up.ts";
import { type Draft, type DraftBook, draftFrom, noSuchDraft } from "./draft.ts";

export interface Revision {
  readonly revision: number;
  readonly at: number;
  readonly by: string;
  readonly what: string;
  readonly texts: readonly string[];
  readonly scheduledFor: number | undefined;
  readonly status: DraftStatus;
  readonly note: string | undefined;
}

export async function findDraft(book: DraftBook, id: number): Promise<Outcome<Draft, Failure<"not_found">>> {
  await catchUp(book);
  const draft = await readDraft(book, id);
  return draft === undefined ? noSuchDraft(id) : ok(draft);
}

/** As it is written down, whatever has become of it since. */
export async function readDraft({ store, account }: DraftBook, id: number): Promise<Draft | undefined> {
  const row = await store.db
    .selectFrom("drafts")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && draftFrom(row);
}

export interface DraftFilter {
  /** Those that are still to be decided about, where absent. */
  readonly status?: DraftStatus | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listDrafts(book: DraftBook, { status, limit }: DraftFilter): Promise<readonly Draft[]> {
  await catchUp(book);
  const rows = await book.store.db
    .selectFrom("drafts")
    .selectAll()
    .where("account", "=", book.account)
    .where("status", "in", status === undefined ? UNDECIDED : [status])
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(draftFrom);
}

const UNDECIDED: readonly DraftStatus[] = ["draft", "scheduled", "publishing", "queued"];

/** Everything that happened to a draft, oldest first. */
export async function revisionsOf({ store, account }: DraftBook, id: number): Promise<readonly Revision[]> {
  const rows = await store.db
    .selectFrom("draft_revisions")
    .selectAll()
    .where("account", "=", account)
    .where("draft_id", "=", id)
    .orderBy("revision")
    .execute();
  return rows.map((row) => ({
    revision: row.revision,
    at: row.at,
    by: row.editor,
    what: row.change,
    // Written by this product as a list of texts.
    texts: JSON.parse(row.texts_json) as string[],
    scheduledFor: row.scheduled_for ?? undefined,
    status: row.status,
    note: row.note ?? undefined,
  }));
}
