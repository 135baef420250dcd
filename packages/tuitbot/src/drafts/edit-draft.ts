import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS, MINUTE_MS } from "@toolpact/contract/internal";
import type { Access } from "@toolpact/x-api";
import * as z from "zod";
import { errors } from "../errors.ts";
import { transact } from "../storage/transaction.ts";
import { firstRefusal } from "../x/toolkit/preflight.ts";
import { refusedPost } from "../x/toolkit/write.ts";
import { beingPublished, changedConcurrently, type Draft, type DraftContext, wrongStatus } from "./draft.ts";
import { checkMedia, type DraftMedia, type FileCode, mediaJson } from "./draft-media.ts";
import { type DraftOptions, notForThreads, optionsJson, requestOf } from "./draft-options.ts";
import { findDraft } from "./find-draft.ts";
import { nextSlot, type SlotSetting } from "./next-slot.ts";
import {
  askAbout,
  insertSchedule,
  placeOnSchedule,
  type ScheduleContext,
  type ScheduleRequest,
  unacceptedLinks,
} from "./put-on-schedule.ts";
import { type AskCode, unschedule } from "./schedule.ts";
import {
  changeDraft,
  changeDraftIn,
  createDraft,
  createDraftIn,
  EDITABLE,
  type NewDraft,
} from "./store-draft.ts";

type Refusal = "not_found" | "validation_error";

export interface DraftEdit {
  readonly texts: readonly string[];
  /** Default: unchanged. */
  readonly media?: readonly DraftMedia[] | undefined;
  /** Default: unchanged. */
  readonly options?: DraftOptions | undefined;
  /** If the editor sent it. */
  readonly revision?: number | undefined;
  readonly by: string;
}

export interface ContentRules {
  readonly access: Access;
  readonly mediaRoots: readonly string[];
}

/** Without asking X. */
export async function checkContent(
  { access, mediaRoots }: ContentRules,
  texts: readonly string[],
  media: readonly DraftMedia[],
  options: DraftOptions = {},
): Promise<Outcome<"usable", Failure<ContentCode>>> {
  const refusal =
    notForThreads(texts.length, options) ??
    firstRefusal(texts.length, (index) => {
      const mediaIds = media.filter(({ post }) => post === index + 1).map(({ file_path }) => file_path);
      return refusedPost({ text: texts[index] ?? "", mediaIds, ...requestOf(options) }, access);
    });
  if (refusal !== undefined) return refusal;
  return checkMedia(media, texts.length, mediaRoots);
}

export type ContentCode = "invalid_input" | "tweet_too_long" | "x_forbidden" | FileCode;

/** Rejects what X would reject. */
export async function editDraft(
  context: ScheduleContext & ContentRules,
  id: number,
  { texts, media: newMedia, options: newOptions, revision, by }: DraftEdit,
): Promise<Outcome<Draft, Failure<Refusal | ContentCode | AskCode>>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const draft = found.value;
  const { media = draft.media, options = draft.options } = { media: newMedia, options: newOptions };
  const usable = await checkContent(context, texts, media, options);
  if (!usable.ok) return usable;
  if (!EDITABLE.has(draft.status)) return wrongStatus(draft);
  if (draft.result !== undefined) return alreadyPartlyPublished(draft);
  if (revision !== undefined && revision !== draft.revision) return changedConcurrently(id);
  const links = draft.scheduledFor === undefined ? undefined : unacceptedLinks(texts);
  if (links !== undefined) return needsNewSchedule(links.failure);
  const { scheduledFor } = draft;
  const edited = { ...draft, texts, media, options };
  const enqueue =
    scheduledFor === undefined ? ok(undefined) : await askAbout(context, edited, { dueAt: scheduledFor });
  if (!enqueue.ok) return enqueue;
  const content = {
    texts_json: JSON.stringify(texts),
    media_json: mediaJson(media),
    options_json: optionsJson(options),
  };
  return transact(context.store, async (db) => {
    if (!(await unschedule(db, context, draft, by))) return beingPublished(draft);
    const placed =
      scheduledFor === undefined
        ? { schedule_id: null, approval_id: null }
        : await insertSchedule(db, context, edited, { dueAt: scheduledFor, by }, enqueue.value);
    return changeDraftIn(db, context, draft, { ...content, ...placed }, { what: "edited", by });
  });
}

/** Asks for approval of content and time, if required. */
export async function scheduleDraft(
  context: ScheduleContext,
  id: number,
  request: ScheduleRequest,
): Promise<Outcome<Draft, Failure<Refusal | AskCode>>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (!EDITABLE.has(draft.status)) return wrongStatus(draft);
  if (draft.result !== undefined) return alreadyPartlyPublished(draft);
  return putOnSchedule(context, draft, request);
}

/** Stores nothing that cannot be scheduled. */
export async function createScheduled(
  context: ScheduleContext,
  draft: NewDraft,
  request: ScheduleRequest | undefined,
): Promise<Outcome<Draft, Failure<"validation_error" | AskCode>>> {
  if (request === undefined) return ok(await createDraft(context, draft));
  const { texts, media = [], options } = draft;
  const links = request.acceptUrlPrice ? undefined : unacceptedLinks(texts);
  if (links !== undefined) return links;
  const enqueue = await askAbout(context, { texts, media, options }, request);
  if (!enqueue.ok) return enqueue;
  return transact(context.store, async (db) =>
    placeOnSchedule(db, context, await createDraftIn(db, context, draft), request, enqueue.value),
  );
}

async function putOnSchedule(
  context: ScheduleContext,
  draft: Draft,
  request: ScheduleRequest,
): Promise<Outcome<Draft, Failure<"validation_error" | AskCode>>> {
  const links = request.acceptUrlPrice ? undefined : unacceptedLinks(draft.texts);
  if (links !== undefined) return links;
  const enqueue = await askAbout(context, draft, request);
  if (!enqueue.ok) return enqueue;
  return transact(context.store, async (db) => {
    if (!(await unschedule(db, context, draft, request.by))) return beingPublished(draft);
    return placeOnSchedule(db, context, draft, request, enqueue.value);
  });
}

/** Keeps the draft. Fails once it is being published. */
export async function unscheduleDraft(
  context: DraftContext,
  id: number,
  by: string,
): Promise<Outcome<Draft, Failure<Refusal>>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (draft.status === "draft") return ok(draft);
  if (draft.status !== "scheduled") return wrongStatus(draft);
  return transact(context.store, async (db) => {
    if (!(await unschedule(db, context, draft, by))) return beingPublished(draft);
    const columns = { status: "draft", scheduled_for: null, schedule_id: null, approval_id: null } as const;
    return changeDraftIn(db, context, draft, columns, { what: "unscheduled", by });
  });
}

/** Revisions remain. */
export async function discardDraft(
  context: DraftContext,
  id: number,
  by: string,
): Promise<Outcome<Draft, Failure<Refusal>>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const draft = found.value;
  if (draft.status === "discarded") return ok(draft);
  if (!EDITABLE.has(draft.status)) return wrongStatus(draft);
  return transact(context.store, async (db) => {
    if (!(await unschedule(db, context, draft, by))) return beingPublished(draft);
    return changeDraftIn(
      db,
      context,
      draft,
      { status: "discarded", scheduled_for: null },
      { what: "discarded", by },
    );
  });
}

/** Off the schedule. */
export async function restoreDraft(
  context: DraftContext,
  id: number,
  by: string,
): Promise<Outcome<Draft, Failure<Refusal>>> {
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  if (found.value.status !== "discarded") return wrongStatus(found.value);
  const columns = { status: "draft", schedule_id: null, approval_id: null } as const;
  return changeDraft(context, found.value, columns, { what: "restored", by });
}

/** For other texts. */
function needsNewSchedule(failure: Failure<"validation_error">): Failed<Failure<"validation_error">> {
  return failed({
    ...failure,
    suggestedFix:
      "Leave the link out, or discard this draft and compose another one: a link cannot be added to a scheduled draft.",
  });
}

function alreadyPartlyPublished({ id }: Draft) {
  return errors.fail(
    "validation_error",
    `Part of draft ${id} is published, so its texts cannot be changed.`,
    {
      suggestedFix: "Call publish_draft to publish the rest, or discard_draft to leave it as it is.",
      fixBy: "agent",
      details: { draft_id: id },
    },
  );
}

/** Clocks differ, and people take a moment. */
const GRACE_MS = 5 * MINUTE_MS;
const MAX_AHEAD_MS = 366 * DAY_MS;

/** Exact, the next free slot, or undefined. */
export async function readWhen(
  context: DraftContext & { readonly slots: SlotSetting },
  {
    scheduled_for,
    next_slot = false,
  }: { scheduled_for?: string | undefined; next_slot?: boolean | undefined },
): Promise<Outcome<number | undefined, Failure<"invalid_input">>> {
  if (scheduled_for !== undefined && next_slot)
    return refusedTime("scheduled_for", "give a time or the next slot, not both.");
  if (next_slot) return nextSlot(context, context.slots);
  return scheduled_for === undefined ? ok(undefined) : readScheduleTime(scheduled_for, context.now());
}

/** ISO 8601 with a time zone. */
export function readScheduleTime(
  text: string,
  now: number,
  argument = "scheduled_for",
): Outcome<number, Failure<"invalid_input">> {
  const bad = (message: string) => refusedTime(argument, message);
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    return bad(`${JSON.stringify(text)} is not a time with a zone, such as 2026-09-01T09:30:00+02:00 or …Z.`);
  const at = Date.parse(text);
  if (at < now - GRACE_MS) return bad(`${text} is in the past; it is now ${new Date(now).toISOString()}.`);
  if (at > now + MAX_AHEAD_MS) return bad(`${text} is more than a year away.`);
  return ok(Math.max(at, now));
}

function refusedTime(argument: string, message: string) {
  return errors.fail("invalid_input", `\`${argument}\`: ${message}`, { fixBy: "agent" });
}
