import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { errors } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { DraftStatus } from "../storage/tables/draft-tables.ts";
import { type Draft, type DraftContext, draftFrom, draftNotFound } from "./draft.ts";
import { syncDrafts } from "./sync-drafts.ts";

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

export async function findDraft(
  context: DraftContext,
  id: number,
): Promise<Outcome<Draft, Failure<"not_found">>> {
  await syncDrafts(context);
  const draft = await readDraft(context, id);
  return draft === undefined ? draftNotFound(id) : ok(draft);
}

/** Without updating it first. */
export async function readDraft({ store, account }: DraftContext, id: number): Promise<Draft | undefined> {
  const row = await withApproval(store.db)
    .where("drafts.account", "=", account)
    .where("drafts.id", "=", id)
    .executeTakeFirst();
  return row && draftFrom(row);
}

function withApproval(db: Kysely<Database>) {
  return db
    .selectFrom("drafts")
    .leftJoin("approvals", "approvals.id", "drafts.approval_id")
    .selectAll("drafts")
    .select("approvals.status as approval");
}

export interface DraftFilter extends PageRequest<DraftKey> {
  /** Default: neither published nor discarded. */
  readonly status?: DraftStatus | undefined;
  /** Lists every recurring post, not only the next. */
  readonly isExpanded?: boolean | undefined;
}

export type DraftKey = [id: number];

/** Newest first. */
export async function listDrafts(
  context: DraftContext,
  { status, isExpanded = false, limit, after: [before] = [Number.MAX_SAFE_INTEGER] }: DraftFilter,
): Promise<Page<Draft>> {
  await syncDrafts(context);
  const { db } = context.store;
  const statuses = status === undefined ? UNDECIDED : [status];
  // The index lists one status in order.
  const found = await Promise.all(
    statuses.map((one) =>
      withApproval(db)
        .where("drafts.account", "=", context.account)
        .where("drafts.status", "=", one)
        .where("drafts.id", "<", before)
        .$if(!isExpanded, (query) =>
          query.where(({ eb, not, exists, selectFrom }) =>
            eb.or([
              eb("drafts.series_id", "is", null),
              not(
                exists(
                  selectFrom("drafts as earlier")
                    .select("earlier.id")
                    .whereRef("earlier.account", "=", "drafts.account")
                    .whereRef("earlier.series_id", "=", "drafts.series_id")
                    .whereRef("earlier.id", "<", "drafts.id")
                    .where("earlier.status", "in", statuses),
                ),
              ),
            ]),
          ),
        )
        .orderBy("drafts.id", "desc")
        .limit(limit + 1)
        .execute(),
    ),
  );
  const rows = found.flat().sort((a, b) => b.id - a.id);
  return pageOf(rows.map(draftFrom), limit, ({ id }) => [id]);
}

/** Not published yet, in order. */
export async function listSeries(
  context: DraftContext,
  id: number,
): Promise<Outcome<readonly Draft[], Failure<"not_found" | "validation_error">>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const { series } = found.value;
  if (series === undefined)
    return errors.fail("validation_error", `Draft ${id} is not one of recurring posts.`, {
      suggestedFix: "Leave `series` out to discard this draft alone.",
      fixBy: "agent",
    });
  const rows = await withApproval(context.store.db)
    .where("drafts.account", "=", context.account)
    .where("drafts.series_id", "=", series.id)
    .where("drafts.status", "in", ["draft", "scheduled"])
    .orderBy("drafts.id")
    .execute();
  return ok(rows.map(draftFrom));
}

const UNDECIDED: readonly DraftStatus[] = ["draft", "scheduled", "publishing", "queued"];

/** Oldest first. */
export async function listRevisions(
  { store, account }: DraftContext,
  id: number,
): Promise<readonly Revision[]> {
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
    // Written as a list of texts.
    texts: JSON.parse(row.texts_json) as string[],
    scheduledFor: row.scheduled_for ?? undefined,
    status: row.status,
    note: row.note ?? undefined,
  }));
}
