import { resolve } from "node:path";
import { type CommandOutcome, EXIT } from "@toolpact/cli";
import type { Failure, JsonObject } from "@toolpact/contract";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Draft } from "../../drafts/draft.ts";
import type { DraftMedia } from "../../drafts/draft-media.ts";
import { draftView, revisionView, seriesView } from "../../drafts/draft-view.ts";
import {
  type ContentRules,
  checkContent,
  createScheduled,
  discardDraft,
  editDraft,
  readScheduleTime,
  readWhen,
  scheduleDraft,
} from "../../drafts/edit-draft.ts";
import { findDraft, listDrafts, listRevisions } from "../../drafts/find-draft.ts";
import type { SlotSetting } from "../../drafts/next-slot.ts";
import { type PublishContext, publishDraft } from "../../drafts/publish-draft.ts";
import type { ScheduleContext } from "../../drafts/put-on-schedule.ts";
import { runnerStatus, runnerText, runnerView } from "../../drafts/runner.ts";
import { createSeries, discardSeries } from "../../drafts/series.ts";
import { settleDraft } from "../../drafts/settle-draft.ts";
import type { DraftStatus } from "../../storage/tables/draft-tables.ts";
import { postId } from "../../x/ids.ts";
import type { Context } from "../context.ts";
import { withServices } from "../with-services.ts";
import {
  asEdited,
  draftLine,
  draftText,
  publishedText,
  readEdited,
  repeatedText,
  scheduledText,
} from "./draft-view.ts";
import { writtenTime } from "./written-time.ts";

const BY = "terminal";
const MAX_LISTED = 200;

export function list(
  filter: { readonly status: DraftStatus | undefined; readonly isExpanded: boolean },
  context: Context,
): Promise<CommandOutcome> {
  return withDrafts(context, async (session) => {
    const { items: drafts } = await listDrafts(session, { ...filter, limit: MAX_LISTED });
    return ok({
      text: listText(drafts, session.slots),
      json: { drafts: drafts.map(draftView) },
    });
  });
}

/** Scheduled drafts come first, soonest at the top; then the rest, newest first. */
function listText(drafts: readonly Draft[], { timezone }: SlotSetting): string {
  if (drafts.length === 0) return "There are no drafts.";
  const due = ({ status, scheduledFor }: Draft) =>
    status === "scheduled" && scheduledFor !== undefined ? scheduledFor : Number.POSITIVE_INFINITY;
  const isTimed = drafts.some(({ scheduledFor }) => scheduledFor !== undefined);
  return drafts
    .toSorted((a, b) => (due(a) === due(b) ? b.id - a.id : due(a) - due(b)))
    .map((draft) => draftLine(draft, timezone))
    .concat(isTimed ? [`Times are in ${timezone}.`] : [])
    .join("\n");
}

export function show(number: string, context: Context): Promise<CommandOutcome> {
  return onDraft(number, context, async (session, id) => {
    const found = await findDraft(session, id);
    if (!found.ok) return failed(commandFailure(found.failure));
    const revisions = await listRevisions(session, id);
    return ok({
      text: draftText(found.value, revisions, session.slots.timezone, context.terminal),
      json: { ...draftView(found.value), revisions: revisions.map(revisionView) },
    });
  });
}

export function edit(number: string, text: string | undefined, context: Context): Promise<CommandOutcome> {
  const { machine, terminal } = context;
  return onDraft(number, context, async (session, id) => {
    const found = await findDraft(session, id);
    if (!found.ok) return failed(commandFailure(found.failure));
    const { texts, revision } = found.value;
    const written = text === undefined ? await machine.edit(asEdited(texts), "txt", terminal.env) : ok(text);
    if (!written.ok) return failed({ message: written.failure, fix: "Or give the text with --text." });
    const wanted = readEdited(written.value, text === undefined ? texts : []);
    if (wanted.length === 0) return failed({ message: "The text is empty, so nothing was changed." });
    if (JSON.stringify(wanted) === JSON.stringify(texts))
      return ok({ text: "Nothing was changed.", json: draftView(found.value) });
    return report(await editDraft(session, id, { texts: wanted, revision, by: BY }), (draft) =>
      draftLine(draft, session.slots.timezone),
    );
  });
}

export interface NewDraftRequest {
  readonly text: string | undefined;
  /** `FILE`, or `2:FILE` for the second post of a thread. */
  readonly media: readonly string[];
  /** The alternative text of each file, in the same order. */
  readonly alt: readonly string[];
  readonly at: string | undefined;
  readonly nextSlot: boolean;
  readonly acceptUrlPrice: boolean;
}

/** Stores the person's own words as a draft, and schedules it if a time is given. */
export function create(
  { text, media, alt, at, nextSlot, acceptUrlPrice }: NewDraftRequest,
  context: Context,
): Promise<CommandOutcome> {
  const { machine, terminal } = context;
  return withDrafts(context, async (session) => {
    const dueAt = await readWhen(session, { scheduled_for: timeFrom(at, session), next_slot: nextSlot });
    if (!dueAt.ok) return unusableTime(dueAt.failure, at);
    const written = text === undefined ? await machine.edit("", "txt", terminal.env) : ok(text);
    if (!written.ok) return failed({ message: written.failure, fix: "Or give the text with --text." });
    const texts = readEdited(written.value, []);
    const files = media.map((given, index) => mediaOf(given, alt[index], machine.cwd));
    const posts = texts.length === 0 && files.length > 0 ? [""] : texts;
    if (posts.length === 0) return failed({ message: "The text is empty, so nothing was stored." });
    const usable = await checkContent(session, posts, files);
    if (!usable.ok) return failed(commandFailure(usable.failure));
    const request = dueAt.value === undefined ? undefined : { dueAt: dueAt.value, acceptUrlPrice, by: BY };
    const created = await createScheduled(session, { texts: posts, media: files, by: BY }, request);
    if (request !== undefined) return reportScheduled(session, created);
    return report(created, ({ id }) => `Stored as draft ${id}.`);
  });
}

function mediaOf(given: string, alt_text: string | undefined, folder: string): DraftMedia {
  const [, post = "1", file = given] = /^(\d{1,3}):(.+)$/.exec(given) ?? [];
  return {
    post: Number(post),
    file_path: resolve(folder, file),
    ...(alt_text !== undefined && alt_text !== "" && { alt_text }),
  };
}

export function schedule(
  number: string,
  { time, nextSlot }: { readonly time: string | undefined; readonly nextSlot: boolean },
  acceptUrlPrice: boolean,
  context: Context,
): Promise<CommandOutcome> {
  return onDraft(number, context, async (session, id) => {
    const at = await readWhen(session, { scheduled_for: timeFrom(time, session), next_slot: nextSlot });
    if (!at.ok) return unusableTime(at.failure, time);
    if (at.value === undefined)
      return failed({ message: "Give a time, or --next-slot.", exitCode: EXIT.usage });
    const request = { dueAt: at.value, acceptUrlPrice, by: BY };
    return reportScheduled(session, await scheduleDraft(session, id, request));
  });
}

/** A time as it was given, or as ISO time where it was written in the time zone of the schedule. */
function timeFrom<Given extends string | undefined>(
  given: Given,
  { slots, now }: DraftSession,
): Given | string {
  return given === undefined ? given : writtenTime(given, slots.timezone, now());
}

/** A time that was given is not understood; a slot that was asked for may just not be there. */
function unusableTime(failure: Failure, time: string | undefined): CommandOutcome {
  return failed({ ...commandFailure(failure), ...(time !== undefined && { exitCode: EXIT.usage }) });
}

async function reportScheduled(
  session: DraftSession,
  scheduled: Outcome<Draft, Failure>,
): Promise<CommandOutcome> {
  const runner = await runnerStatus(session, session.now());
  const text = (draft: Draft) => `${scheduledText(draft, session.slots.timezone)} ${runnerText(runner)}`;
  return report(scheduled, text, { runner: runnerView(runner) });
}

export interface RepeatRequest {
  readonly times: string;
  readonly until: string | undefined;
  readonly texts: readonly string[];
  readonly media: readonly string[];
  readonly alt: readonly string[];
  readonly acceptUrlPrice: boolean;
}

/** Schedules recurring posts in the person's own words. */
export function repeat(
  { times, until, texts, media, alt, acceptUrlPrice }: RepeatRequest,
  context: Context,
): Promise<CommandOutcome> {
  const { machine, terminal } = context;
  if (until === undefined)
    return Promise.resolve(
      failed({ message: "Give the end with --until, such as 2026-12-31T00:00:00Z.", exitCode: EXIT.usage }),
    );
  return withDrafts(context, async (session) => {
    const end = readScheduleTime(timeFrom(until, session), session.now(), "--until");
    if (!end.ok) return failed({ ...commandFailure(end.failure), exitCode: EXIT.usage });
    const written = texts.length > 0 ? ok("") : await machine.edit("", "txt", terminal.env);
    if (!written.ok) return failed({ message: written.failure, fix: "Or give the texts with --text." });
    const variants = texts.length > 0 ? texts : readEdited(written.value, []);
    if (variants.length === 0) return failed({ message: "The text is empty, so nothing was stored." });
    const files = media.map((given, index) => mediaOf(given, alt[index], machine.cwd));
    const usable = await checkContent(session, variants, files);
    if (!usable.ok) return failed(commandFailure(usable.failure));
    const { timezone } = session.slots;
    const created = await createSeries(session, {
      variants,
      media: files,
      repeats: times,
      timezone,
      until: end.value,
      acceptUrlPrice,
      by: BY,
    });
    if (!created.ok) return failed(commandFailure(created.failure));
    const runner = await runnerStatus(session, session.now());
    return ok({
      text: `${repeatedText(created.value, timezone)} ${runnerText(runner)}`,
      json: {
        ...seriesView(created.value),
        approval_queue_id: created.value[0]?.approvalId ?? null,
        runner: runnerView(runner),
      },
    });
  });
}

export function publish(number: string, acceptUrlPrice: boolean, context: Context): Promise<CommandOutcome> {
  return onDraft(number, context, async (session, id) =>
    report(await publishDraft(session, id, { by: BY, acceptUrlPrice }), publishedText),
  );
}

export async function settle(
  number: string,
  post: string | undefined,
  isNotOut: boolean,
  context: Context,
): Promise<CommandOutcome> {
  if ((post === undefined) !== isNotOut)
    return failed({ message: "Give either --post or --not-out.", exitCode: EXIT.usage });
  const read = post === undefined ? undefined : postId.safeParse(post);
  if (read?.success === false)
    return failed({ message: `--post ${read.error.issues[0]?.message}.`, exitCode: EXIT.usage });
  const finding =
    read === undefined ? { isOut: false as const } : { isOut: true as const, postId: read.data };
  return onDraft(number, context, async (session, id) =>
    report(await settleDraft(session, id, finding, BY), ({ status, result }) => {
      if (status === "scheduled") return `Noted. The schedule goes on with draft ${id}.`;
      if (status === "published") return `Noted. Draft ${id} is published.`;
      return result === undefined
        ? `Noted. Draft ${id} is a draft again.`
        : `Noted. Go on with tuitbot drafts publish ${id}.`;
    }),
  );
}

export function discard(number: string, isSeries: boolean, context: Context): Promise<CommandOutcome> {
  return onDraft(number, context, async (session, id) => {
    if (!isSeries) return report(await discardDraft(session, id, BY), () => `Draft ${id} is discarded.`);
    const discarded = await discardSeries(session, id, BY);
    if (!discarded.ok) return failed(commandFailure(discarded.failure));
    const ids = discarded.value.map((draft) => draft.id);
    return ok({ text: `${ids.length} recurring posts are discarded.`, json: { discarded: ids } });
  });
}

/** Everything that the commands for drafts need. */
type DraftSession = PublishContext & ContentRules & ScheduleContext & { readonly slots: SlotSetting };

/** Runs some work on the drafts of the signed-in account. */
function withDrafts(
  context: Context,
  work: (session: DraftSession) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withServices(["db", "workflow"], { profile: "write" }, context, ({ db, workflow }) =>
    work({
      ...db,
      access: workflow.access,
      mediaRoots: workflow.mediaRoots,
      slots: workflow.slots,
      now: workflow.now,
      call: (tool, args) => workflow.call(tool, args, BY, context.signal),
      ask: (call) => workflow.askToSchedule(call, context.signal),
    }),
  );
}

async function onDraft(
  number: string,
  context: Context,
  work: (session: DraftSession, id: number) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const id = Number(number);
  if (Number.isSafeInteger(id) && id > 0) return withDrafts(context, (session) => work(session, id));
  return failed({
    message: `${JSON.stringify(number)} is not the number of a draft.`,
    fix: "See tuitbot drafts list.",
    exitCode: EXIT.usage,
  });
}

function report(
  outcome: Outcome<Draft, Failure>,
  text: (draft: Draft) => string,
  more: JsonObject = {},
): CommandOutcome {
  if (!outcome.ok) return failed(commandFailure(outcome.failure));
  return ok({ text: text(outcome.value), json: { ...draftView(outcome.value), ...more } });
}
