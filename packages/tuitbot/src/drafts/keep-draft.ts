import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { labelText } from "../mutation/publications/labels.ts";
import type { DraftRow, DraftStatus } from "../storage/content-tables.ts";
import type { Database } from "../storage/database.ts";
import { transact } from "../storage/transact.ts";
import { changedMeanwhile, type Draft, type DraftBook, draftFrom } from "./draft.ts";

export interface NewDraft {
  readonly texts: readonly string[];
  readonly topic: string;
  readonly framework: string;
  readonly writer: string;
}

/** Puts a new draft into the book. */
export async function createDraft(
  { store, account, now }: DraftBook,
  { texts, topic, framework, writer }: NewDraft,
): Promise<Draft> {
  return store.transaction(async (db) => {
    const row = await db
      .insertInto("drafts")
      .values({
        account,
        texts_json: JSON.stringify(texts),
        topic,
        framework,
        writer,
        status: "draft",
        revision: 1,
        scheduled_for: null,
        schedule_id: null,
        approval_id: null,
        lease_until: 0,
        resume: null,
        result_json: null,
        created_at: now(),
        updated_at: now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const draft = draftFrom(row);
    await writeRevision(db, account, draft, { what: "composed", by: writer });
    await labelDraft(db, account, draft);
    return draft;
  });
}

/** What was done to a draft, and by whom. */
export interface Change {
  readonly what: string;
  readonly by: string;
  readonly note?: string | undefined;
}

export type Columns = Partial<
  Pick<
    DraftRow,
    | "texts_json"
    | "status"
    | "scheduled_for"
    | "schedule_id"
    | "approval_id"
    | "lease_until"
    | "resume"
    | "result_json"
  >
>;

/** Changes a draft as it was seen, and keeps what it was. Whoever comes second is told. */
export function changeDraft(
  book: DraftBook,
  seen: Draft,
  columns: Columns,
  change: Change,
): Promise<Outcome<Draft, Failure<"validation_error">>> {
  return transact(book.store, (db) => changeDraftIn(db, book, seen, columns, change));
}

/** As `changeDraft`, as part of a transaction. */
export async function changeDraftIn(
  db: Kysely<Database>,
  { account, now }: DraftBook,
  seen: Draft,
  columns: Columns,
  change: Change,
): Promise<Outcome<Draft, Failure<"validation_error">>> {
  const row = await db
    .updateTable("drafts")
    .set({ ...columns, revision: seen.revision + 1, updated_at: now() })
    .where("account", "=", account)
    .where("id", "=", seen.id)
    .where("revision", "=", seen.revision)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return changedMeanwhile(seen.id);
  const draft = draftFrom(row);
  await writeRevision(db, account, draft, change);
  if (columns.texts_json !== undefined) await labelDraft(db, account, draft);
  return ok(draft);
}

async function writeRevision(
  db: Kysely<Database>,
  account: string,
  { id, revision, texts, scheduledFor, status, updatedAt }: Draft,
  { what, by, note }: Change,
): Promise<void> {
  await db
    .insertInto("draft_revisions")
    .values({
      draft_id: id,
      revision,
      account,
      at: updatedAt,
      editor: by,
      change: what,
      texts_json: JSON.stringify(texts),
      scheduled_for: scheduledFor ?? null,
      status,
      note: note ?? null,
    })
    .execute();
}

/** So that what becomes of it is counted for its topic, whoever publishes it. */
async function labelDraft(
  db: Kysely<Database>,
  account: string,
  { texts: [first], topic, framework, updatedAt }: Draft,
): Promise<void> {
  if (first === undefined || topic === undefined) return;
  await labelText(db, account, first, { topic, format: framework }, updatedAt);
}

/** States in which a draft is its owner's to change. */
export const OPEN: ReadonlySet<DraftStatus> = new Set<DraftStatus>(["draft", "scheduled"]);
