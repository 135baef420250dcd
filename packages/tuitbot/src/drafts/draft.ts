import type { Failed, Failure, Json } from "@toolpact/contract";
import type { Selectable } from "kysely";
import { errors } from "../errors.ts";
import type { DraftRow, DraftStatus } from "../storage/content-tables.ts";
import type { Session } from "../storage/session.ts";

/** What drafts are kept in, and the time. */
export interface DraftBook extends Session {
  readonly now: () => number;
}

/** A post or thread that is not out yet, or how it came to be. */
export interface Draft {
  readonly id: number;
  readonly texts: readonly string[];
  readonly topic: string | undefined;
  readonly framework: string | undefined;
  readonly writer: string | undefined;
  readonly status: DraftStatus;
  readonly revision: number;
  readonly scheduledFor: number | undefined;
  readonly scheduleId: number | undefined;
  readonly approvalId: number | undefined;
  readonly leaseUntil: number;
  readonly resume: string | undefined;
  readonly result: Json | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function draftFrom(row: Selectable<DraftRow>): Draft {
  return {
    id: row.id,
    // Written by this product as JSON of exactly these shapes.
    texts: JSON.parse(row.texts_json) as string[],
    topic: row.topic ?? undefined,
    framework: row.framework ?? undefined,
    writer: row.writer ?? undefined,
    status: row.status,
    revision: row.revision,
    scheduledFor: row.scheduled_for ?? undefined,
    scheduleId: row.schedule_id ?? undefined,
    approvalId: row.approval_id ?? undefined,
    leaseUntil: row.lease_until,
    resume: row.resume ?? undefined,
    result: row.result_json === null ? undefined : (JSON.parse(row.result_json) as Json),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function noSuchDraft(id: number): Failed<Failure<"not_found">> {
  return errors.fail("not_found", `There is no draft ${id}.`, {
    suggestedFix: "See list_drafts, or `tuitbot drafts`, for those that there are.",
    fixBy: "agent",
  });
}

/** It is not in a state in which that can be done. */
export function notNow({ id, status }: Draft): Failed<Failure<"validation_error">> {
  return errors.fail("validation_error", `Draft ${id} ${WORDS[status]}.`, {
    suggestedFix: WHAT_HELPS[status],
    fixBy: "agent",
    details: { draft_id: id, status },
  });
}

/** The schedule is at it, or does not know yet whether it is out. */
export function goingOut(draft: Draft): Failed<Failure<"validation_error">> {
  return notNow({ ...draft, status: "publishing" });
}

export function changedMeanwhile(id: number): Failed<Failure<"validation_error">> {
  return errors.fail("validation_error", `Draft ${id} was changed meanwhile. Nothing was done.`, {
    suggestedFix: "Look at it with get_draft, then decide again.",
    fixBy: "agent",
    details: { draft_id: id },
  });
}

const WORDS: Readonly<Record<DraftStatus, string>> = {
  draft: "is a draft",
  scheduled: "is scheduled",
  publishing: "is going out right now",
  queued: "waits for a person",
  published: "is published",
  discarded: "is discarded",
};

const WHAT_HELPS: Readonly<Record<DraftStatus, string>> = {
  draft: "Look at it with get_draft.",
  scheduled: "Look at it with get_draft.",
  publishing:
    "Look at it again in a moment. Where X stays silent, a person looks there and says so with `tuitbot drafts settle`.",
  queued: "The person decides with `tuitbot approve`.",
  published: "Compose a new one.",
  discarded: "Compose a new one.",
};
