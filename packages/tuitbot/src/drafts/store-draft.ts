import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { labelText } from "../publications/labels.ts";
import type { Database } from "../storage/database.ts";
import type { DraftRow, DraftStatus } from "../storage/tables/draft-tables.ts";
import { transact } from "../storage/transaction.ts";
import { changedConcurrently, type Draft, type DraftContext, draftFrom, type SeriesPlace } from "./draft.ts";
import { type DraftMedia, mediaJson } from "./draft-media.ts";
import { type DraftOptions, optionsJson } from "./draft-options.ts";
import { voidApproval } from "./schedule.ts";

export interface NewDraft {
  readonly texts: readonly string[];
  readonly media?: readonly DraftMedia[];
  readonly options?: DraftOptions | undefined;
  readonly topic?: string | undefined;
  readonly framework?: string;
  /** A language model. */
  readonly writer?: string;
  /** The first post starts the series; the others carry its id. */
  readonly series?: { readonly id?: number | undefined; readonly place: SeriesPlace } | undefined;
  /** If no model wrote it. */
  readonly by?: string;
}

export async function createDraft(context: DraftContext, draft: NewDraft): Promise<Draft> {
  return context.store.transaction((db) => createDraftIn(db, context, draft));
}

/** Within a transaction. */
export async function createDraftIn(
  db: Kysely<Database>,
  { account, now }: DraftContext,
  { texts, media = [], options, topic, framework, writer, series, by = "agent" }: NewDraft,
): Promise<Draft> {
  const row = await db
    .insertInto("drafts")
    .values({
      account,
      texts_json: JSON.stringify(texts),
      media_json: mediaJson(media),
      options_json: optionsJson(options),
      topic: topic ?? null,
      framework: framework ?? null,
      writer: writer ?? null,
      status: "draft",
      revision: 1,
      scheduled_for: null,
      schedule_id: null,
      approval_id: null,
      lease_until: 0,
      resume: null,
      result_json: null,
      series_id: series?.id ?? null,
      series_json: series === undefined ? null : JSON.stringify(series.place),
      created_at: now(),
      updated_at: now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const draft = draftFrom(row);
  if (series !== undefined && series.id === undefined)
    await db
      .updateTable("drafts")
      .set({ series_id: row.id })
      .where("account", "=", account)
      .where("id", "=", row.id)
      .execute();
  await writeRevision(db, account, draft, { what: "composed", by: writer ?? by });
  await labelDraft(db, account, draft);
  return draft;
}

export interface DraftChange {
  readonly what: string;
  readonly by: string;
  readonly note?: string | undefined;
}

export type DraftColumns = Partial<
  Pick<
    DraftRow,
    | "texts_json"
    | "media_json"
    | "options_json"
    | "status"
    | "scheduled_for"
    | "schedule_id"
    | "approval_id"
    | "lease_until"
    | "resume"
    | "result_json"
  >
>;

/** With a revision. Fails if the draft has changed since it was read. */
export function changeDraft(
  context: DraftContext,
  seen: Draft,
  columns: DraftColumns,
  change: DraftChange,
): Promise<Outcome<Draft, Failure<"validation_error">>> {
  return transact(context.store, (db) => changeDraftIn(db, context, seen, columns, change));
}

/** Within a transaction. */
export async function changeDraftIn(
  db: Kysely<Database>,
  { account, now }: DraftContext,
  seen: Draft,
  columns: DraftColumns,
  change: DraftChange,
): Promise<Outcome<Draft, Failure<"validation_error">>> {
  const row = await db
    .updateTable("drafts")
    .set({ ...columns, revision: seen.revision + 1, updated_at: now() })
    .where("account", "=", account)
    .where("id", "=", seen.id)
    .where("revision", "=", seen.revision)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return changedConcurrently(seen.id);
  const draft = draftFrom(row);
  // No longer published at its time.
  if (columns.status !== undefined && !ON_SCHEDULE.has(columns.status))
    await voidApproval(db, account, seen, { by: change.by, now: now() });
  await writeRevision(db, account, draft, change);
  if (columns.texts_json !== undefined) await labelDraft(db, account, draft);
  return ok(draft);
}

async function writeRevision(
  db: Kysely<Database>,
  account: string,
  { id, revision, texts, scheduledFor, status, updatedAt }: Draft,
  { what, by, note }: DraftChange,
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

/** Counts its performance towards the topic, whichever tool publishes it. */
async function labelDraft(
  db: Kysely<Database>,
  account: string,
  { texts: [first], topic, framework, updatedAt }: Draft,
): Promise<void> {
  if (first === undefined || topic === undefined) return;
  await labelText(db, account, first, { topic, format: framework }, updatedAt);
}

const ON_SCHEDULE: ReadonlySet<DraftStatus> = new Set<DraftStatus>(["scheduled", "publishing"]);

export const EDITABLE: ReadonlySet<DraftStatus> = new Set<DraftStatus>(["draft", "scheduled"]);
