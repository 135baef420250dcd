import type { Failed, Failure, Json } from "@toolpact/contract";
import type { Selectable } from "kysely";
import { errors } from "../errors.ts";
import type { Session } from "../storage/store.ts";
import type { DraftRow, DraftStatus } from "../storage/tables/draft-tables.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import { type DraftMedia, mediaFrom } from "./draft-media.ts";
import { type DraftOptions, optionsFrom } from "./draft-options.ts";

export interface DraftContext extends Session {
  readonly now: () => number;
}

/** Unpublished, or published from a draft. */
export interface Draft {
  readonly id: number;
  readonly texts: readonly string[];
  readonly media: readonly DraftMedia[];
  readonly options: DraftOptions;
  readonly topic: string | undefined;
  readonly framework: string | undefined;
  readonly writer: string | undefined;
  readonly status: DraftStatus;
  readonly revision: number;
  readonly scheduledFor: number | undefined;
  readonly scheduleId: number | undefined;
  readonly approvalId: number | undefined;
  /** For its time. */
  readonly isApproved: boolean;
  readonly leaseUntil: number;
  readonly resume: string | undefined;
  readonly result: Json | undefined;
  readonly series: DraftSeries | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One of several recurring posts. */
export interface DraftSeries extends SeriesPlace {
  /** The first draft's id. */
  readonly id: number;
}

export interface SeriesPlace {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  readonly repeats: string;
  readonly timezone: string;
  readonly until: string;
}

export function draftFrom(row: Selectable<DraftRow> & { readonly approval?: string | null }): Draft {
  return {
    id: row.id,
    // Written as JSON of these shapes.
    texts: JSON.parse(row.texts_json) as string[],
    media: mediaFrom(row.media_json),
    options: optionsFrom(row.options_json),
    topic: row.topic ?? undefined,
    framework: row.framework ?? undefined,
    writer: row.writer ?? undefined,
    status: row.status,
    revision: row.revision,
    scheduledFor: row.scheduled_for ?? undefined,
    scheduleId: row.schedule_id ?? undefined,
    approvalId: row.approval_id ?? undefined,
    isApproved: row.approval === "approved",
    leaseUntil: row.lease_until,
    resume: row.resume ?? undefined,
    result: row.result_json === null ? undefined : (JSON.parse(row.result_json) as Json),
    series:
      row.series_id === null || row.series_json === null
        ? undefined
        : { id: row.series_id, ...(JSON.parse(row.series_json) as SeriesPlace) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function draftNotFound(id: number): Failed<Failure<"not_found">> {
  return errors.fail("not_found", `There is no draft ${id}.`, {
    suggestedFix: "Call list_drafts, or run `tuitbot drafts`, for the existing ones.",
    fixBy: "agent",
  });
}

/** For a change. */
export function wrongStatus({ id, status }: Draft): Failed<Failure<"validation_error">> {
  return errors.fail("validation_error", `Draft ${id} ${STATUS[status]}.`, {
    suggestedFix: FIX[status],
    fixBy: "agent",
    details: { draft_id: id, status },
  });
}

/** Or X may have published it. */
export function beingPublished(draft: Draft): Failed<Failure<"validation_error">> {
  return wrongStatus({ ...draft, status: "publishing" });
}

export function changedConcurrently(id: number): Failed<Failure<"validation_error">> {
  return errors.fail("validation_error", `Draft ${id} was changed in the meantime. Nothing was done.`, {
    suggestedFix: "Read it with get_draft, then decide again.",
    fixBy: "agent",
    details: { draft_id: id },
  });
}

const STATUS: Readonly<Record<DraftStatus, string>> = {
  draft: "is a draft",
  scheduled: "is scheduled",
  publishing: "is being published",
  queued: "waits for approval",
  published: "is published",
  discarded: "is discarded",
};

const FIX: Readonly<Record<DraftStatus, string>> = {
  draft: "Read it with get_draft.",
  scheduled: "Read it with get_draft.",
  publishing:
    "Read it again in a moment. If X does not answer, a person checks at X and settles it with `tuitbot drafts settle`.",
  queued: "The person decides with `tuitbot approve`.",
  published: "Compose a new one.",
  discarded: "Compose a new one.",
};

/** The published posts, and the handle that resumes the thread. */
export function partlyPublished({ details }: Failure): Partial<Pick<DraftRow, "resume" | "result_json">> {
  const fields = objectIn(details);
  const resume = textIn(fields, "resume");
  if (resume === undefined) return {};
  return { resume, result_json: JSON.stringify({ thread_tweet_ids: listIn(fields, "posted_tweet_ids") }) };
}
