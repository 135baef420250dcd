import { type Failed, type Failure, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import * as z from "zod";
import { draftWithRevisions } from "../../app/drafts.ts";
import type { Services } from "../../app/services.ts";
import { findItem } from "../../approval/queue.ts";
import { timeOnDay } from "../../config/schedule-window.ts";
import type { Draft, DraftContext } from "../../drafts/draft.ts";
import { mediaShape } from "../../drafts/draft-media.ts";
import { draftShape, draftView, revisionShape, seriesView } from "../../drafts/draft-view.ts";
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
import { type DraftKey, findDraft, listDrafts } from "../../drafts/find-draft.ts";
import { publishDraft } from "../../drafts/publish-draft.ts";
import { MAX_OCCURRENCES, readRepeats } from "../../drafts/recurrence.ts";
import { runnerShape, runnerStatus, runnerView } from "../../drafts/runner.ts";
import type { ScheduledCall } from "../../drafts/schedule.ts";
import { createSeries, discardSeries } from "../../drafts/series.ts";
import { errors, guardErrors, xMediaErrors, xThreadErrors } from "../../errors.ts";
import { queuedAnswer, queuedShape } from "../../guards/approval/ask-for-approval.ts";
import { ACCEPT_URL_PRICE } from "../../guards/receipts/receipt.ts";
import { writeUp } from "../../profiles.ts";
import { postId } from "../../x/ids.ts";
import { postOptions } from "../../x/post-options.ts";
import { MAX_POST, MAX_WORD } from "../../x/text-limits.ts";
import { answerPage, pageSize, pageToken } from "../paging.ts";
import { note } from "../params.ts";
import { APPS, defineTool } from "../product.ts";
import { clockShape, clockView } from "./schedule-clock.ts";

const AGENT = "agent";

/** From x_upload_media, x_post_tweet, x_post_thread and their guards. */
const publishErrors = [
  ...new Set([...xThreadErrors, ...xMediaErrors]),
  ...guardErrors,
  "policy_error",
] as const;

const draft = z.object(draftShape);
const queuedDraft = z.object({ ...z.object(queuedShape).partial().shape, ...draftShape });
const id = z.int().min(1).describe("Id from list_drafts");

const looking = {
  category: "content",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
} as const;

/** Nothing leaves this machine. */
const changing = { ...looking, effect: "update" } as const;

export const listDraftsTool = defineTool({
  ...looking,
  name: "list_drafts",
  searchWords:
    "my drafts, calendar of what goes out, scheduled posts, what is planned, upcoming posts, content calendar",
  facts: { everyday: true },
  title: "List drafts",
  description: "List open drafts, or those of one status, newest first.",
  errors: ["db_error"],
  input: z.strictObject({
    status: draftShape.status.optional().describe("Only drafts of this status"),
    expand_series: z
      .boolean()
      .optional()
      .describe("true: all recurring posts, not only the next of each series"),
    limit: pageSize(20, 100),
    pagination_token: pageToken<DraftKey>(z.tuple([z.int()])),
  }),
  output: z.object({ drafts: z.array(draft), ...clockShape }),
  handler: async ({ limit, pagination_token: after, expand_series: isExpanded, status }, services) => {
    const page = await listDrafts(bookOf(services), { status, limit: limit.entries, isExpanded, after });
    const { entries: drafts, notes } = answerPage(page, limit, draftView);
    return ok({ drafts, ...clockView(services.workflow) }, notes);
  },
});

export const getDraft = defineTool({
  ...looking,
  name: "get_draft",
  searchWords: "show one draft, former versions of a draft",
  app: APPS.postPreview,
  title: "Get a draft",
  description: "Get one draft with every revision of it.",
  errors: ["not_found", "db_error"],
  input: z.strictObject({ id }),
  output: z.object({ ...draftShape, revisions: z.array(z.object(revisionShape)) }),
  handler: async ({ id }, services) => {
    const found = await draftWithRevisions(bookOf(services), id);
    return found.ok ? ok({ ...found.value.draft, revisions: found.value.revisions }) : found;
  },
});

const texts = z
  .array(z.string().max(MAX_POST))
  .min(1)
  .max(100)
  .describe("One text for a post, several for a thread");
const media = z.array(mediaShape).max(400).describe("Per post up to 4 pictures, or one GIF or video");
const { poll_options, poll_minutes, reply_settings, made_with_ai, paid_partnership } = postOptions;
/** Besides text and media. */
const options = {
  in_reply_to_id: postId.optional().describe("Makes it a reply to this post"),
  quoted_tweet_id: postId.optional().describe("Makes it a quote of this post; enterprise plan only"),
  poll_options,
  poll_minutes,
  reply_settings,
  made_with_ai,
  paid_partnership,
};
const acceptsUrlPrice = z
  .boolean()
  .optional()
  .describe("true: accept X's higher price for a post with a link");
const slot = z.boolean().optional().describe("true: the next free posting slot, instead of a time");
const time = z.string().max(MAX_WORD).describe("Time with zone, such as 2026-09-01T09:30:00+02:00");

/** Before X sees the content. */
const contentErrors = [
  "invalid_input",
  "tweet_too_long",
  "x_forbidden",
  "unsupported_media_type",
  "file_read_error",
  "media_upload_error",
] as const;

export const createDraftTool = defineTool({
  ...changing,
  name: "create_draft",
  searchWords:
    "save a post for later, write a draft, draft an answer, schedule a new post, prepare a thread, post later at a time",
  app: APPS.postPreview,
  facts: { everyday: true, isLocal: true },
  title: "Create a draft",
  description:
    "Save a post, reply or thread for later, or schedule it: the way to write anything the person should see first. To post now use x_post_tweet.",
  effect: "create",
  errors: [...contentErrors, "validation_error", "policy_error", "db_error"],
  input: z.strictObject({
    texts,
    media: media.optional(),
    ...options,
    topic: z.string().trim().min(1).max(500).optional().describe("Topic that its figures count for"),
    scheduled_for: time.optional(),
    next_slot: slot,
    [ACCEPT_URL_PRICE]: acceptsUrlPrice,
    note,
  }),
  output: queuedDraft.extend({ runner: runnerShape.optional(), ...clockShape }),
  handler: async (
    {
      texts,
      media = [],
      topic,
      scheduled_for,
      next_slot,
      [ACCEPT_URL_PRICE]: acceptUrlPrice,
      note,
      ...options
    },
    { signal, ...services },
  ) => {
    const book = { ...schedulingBook(services, signal), ...rulesOf(services) };
    const at = await readWhen(book, { scheduled_for, next_slot });
    if (!at.ok) return at;
    const usable = await checkContent(book, texts, media, options);
    if (!usable.ok) return usable;
    const request = at.value === undefined ? undefined : { dueAt: at.value, acceptUrlPrice, by: AGENT, note };
    const created = await createScheduled(book, { texts, media, options, topic, by: AGENT }, request);
    if (request !== undefined) return withRunner(book, created);
    return created.ok ? ok({ ...draftView(created.value), ...clockView(book) }) : created;
  },
});

/** With the state of the runner. */
async function withRunner<Code extends string>(
  book: ReturnType<typeof schedulingBook>,
  scheduled: Outcome<Draft, Failure<Code>>,
) {
  if (!scheduled.ok) return scheduled;
  const runner = await runnerStatus(book, book.now());
  return ok({ ...(await answerOf(book, scheduled.value)), runner: runnerView(runner), ...clockView(book) });
}

export const editDraftTool = defineTool({
  ...changing,
  name: "edit_draft",
  // Revisions keep former texts.
  hints: { destructiveHint: false },
  searchWords: "change a draft, rewrite a scheduled post, change the text",
  app: APPS.postPreview,
  facts: { everyday: true, isLocal: true },
  title: "Edit a draft",
  description:
    "Replace the texts of a draft, and its media if given. The former texts are kept as a revision.",
  errors: [...contentErrors, "not_found", "validation_error", "policy_error", "db_error"],
  input: z.strictObject({
    id,
    texts,
    media: media.optional().describe("Instead of the files that it shows now; [] for none"),
    revision: z
      .int()
      .min(1)
      .optional()
      .describe("The revision you have read; the edit is refused if there is a newer one"),
  }),
  output: draft,
  handler: async ({ id, texts, media, revision }, { signal, ...services }) => {
    const book = { ...schedulingBook(services, signal), ...rulesOf(services) };
    const edited = await editDraft(book, id, { texts, media, revision, by: AGENT });
    return edited.ok ? ok(draftView(edited.value)) : edited;
  },
});

export const scheduleDraftTool = defineTool({
  ...changing,
  name: "schedule_draft",
  // Revisions keep former texts.
  hints: { destructiveHint: false },
  searchWords:
    "reschedule, change the time of a scheduled post, postpone a post, schedule a draft, move a post to another day, next free slot",
  app: APPS.postPreview,
  facts: { everyday: true, isLocal: true },
  title: "Schedule a draft",
  description:
    "Schedule a draft, or change its time. The person approves text and time once, now. To publish it now use publish_draft.",
  errors: ["not_found", "validation_error", "invalid_input", "file_read_error", "policy_error", "db_error"],
  input: z.strictObject({
    id,
    scheduled_for: time.optional(),
    next_slot: slot,
    [ACCEPT_URL_PRICE]: acceptsUrlPrice,
    note,
  }),
  output: queuedDraft.extend({ runner: runnerShape, ...clockShape }),
  handler: async (
    { id, scheduled_for, next_slot, [ACCEPT_URL_PRICE]: acceptUrlPrice, note },
    { signal, ...services },
  ) => {
    const book = schedulingBook(services, signal);
    const at = await readWhen(book, { scheduled_for, next_slot });
    if (!at.ok) return at;
    if (at.value === undefined)
      return errors.fail("invalid_input", "Give `scheduled_for` or `next_slot`.", { fixBy: "agent" });
    const request = { dueAt: at.value, acceptUrlPrice, by: AGENT, note };
    return withRunner(book, await scheduleDraft(book, id, request));
  },
});

export const createRecurringPosts = defineTool({
  ...changing,
  name: "create_recurring_posts",
  searchWords:
    "post every week, post every Monday, repeat a post, recurring post, regular posts daily weekly monthly",
  facts: { everyday: true, isLocal: true },
  title: "Create recurring posts",
  description:
    "Schedule a recurring post in variants that take turns: X refuses the same words within a day. The person approves all at once. Each post is a draft to edit or discard.",
  effect: "create",
  errors: [...contentErrors, "validation_error", "policy_error", "db_error"],
  input: z.strictObject({
    variants: z.array(z.string().max(MAX_POST)).min(1).max(MAX_OCCURRENCES).describe("Texts that take turns"),
    repeats: z
      .string()
      .max(100)
      .describe('Weekdays and time, such as "Mon,Thu 09:30" or "09:30" for every day, or cron: "30 9 1 * *"'),
    until: time.describe("The last day, such as 2026-12-31, or a time with zone; at most 100 posts"),
    media: media.optional().describe("Files to show; `post` says which variant shows it"),
    topic: z.string().trim().min(1).max(500).optional().describe("Topic that its figures count for"),
    [ACCEPT_URL_PRICE]: acceptsUrlPrice,
    note,
  }),
  output: z.object({
    ...z.object(queuedShape).partial().shape,
    series_id: z.number(),
    count: z.number(),
    estimated_usd: z.number().describe("What X will charge for all of them"),
    next: z
      .array(z.object({ draft_id: z.number(), scheduled_for: z.string(), text: z.string() }))
      .describe("The first ten; list_drafts with `expand_series` has all"),
    runner: runnerShape,
    ...clockShape,
  }),
  handler: async (
    { variants, repeats, until, media = [], topic, [ACCEPT_URL_PRICE]: acceptUrlPrice, note },
    { signal, ...services },
  ) => {
    const book = { ...schedulingBook(services, signal), ...rulesOf(services) };
    const { timezone } = book.slots;
    const end = readScheduleTime(wholeDay(until, timezone), book.now(), "until");
    const rhythm = await readRepeats({ repeats, timezone });
    if (!end.ok && !rhythm.ok)
      return errors.fail("invalid_input", `${rhythm.failure.message} ${end.failure.message}`, {
        fixBy: "agent",
      });
    if (!end.ok) return end;
    if (!rhythm.ok) return rhythm;
    const usable = await checkContent(book, variants, media);
    if (!usable.ok) return usable;
    const request = {
      variants,
      media,
      topic,
      repeats,
      timezone,
      until: end.value,
      acceptUrlPrice,
      by: AGENT,
      note,
    };
    const created = await createSeries(book, request);
    if (!created.ok) return created;
    const runner = runnerView(await runnerStatus(book, book.now()));
    const answer = { ...seriesView(created.value), runner, ...clockView(book) };
    const [{ approvalId } = { approvalId: undefined }] = created.value;
    const item =
      approvalId === undefined ? undefined : await findItem(book.store.db, book.account, approvalId);
    if (!item?.ok) return ok(answer);
    const message = `Scheduled. They go out at their times once a person has approved item ${approvalId}.`;
    return ok({ ...queuedAnswer(item.value), message, ...answer });
  },
});

/** A date means the end of that day. */
function wholeDay(text: string, timezone: string): string {
  if (!z.iso.date().safeParse(text).success) return text;
  const noon = Date.parse(`${text}T12:00:00Z`);
  const dates = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone });
  // At noon UTC the day is over far to the east.
  const at = [noon, noon - DAY_MS / 2].find((one) => dates.format(one) === text) ?? noon;
  return new Date(timeOnDay("23:59", at, timezone)).toISOString();
}

export const publishDraftTool = defineTool({
  ...changing,
  name: "publish_draft",
  searchWords: "send a draft now, publish a draft",
  app: APPS.approval,
  facts: { everyday: true, isLocal: true, makesCalls: true },
  title: "Publish a draft",
  description: "Publish a draft now, or queue it for the person's approval.",
  effect: "create",
  openWorld: true,
  // It may publish a thread.
  deadlineMs: 200_000,
  errors: publishErrors,
  input: z.strictObject({
    id,
    [ACCEPT_URL_PRICE]: acceptsUrlPrice,
    note,
  }),
  output: queuedDraft,
  handler: async ({ id, [ACCEPT_URL_PRICE]: acceptUrlPrice, note }, { signal, ...services }) => {
    const { workflow } = services;
    const call = (tool: string, args: Parameters<typeof workflow.call>[1]) =>
      workflow.call(tool, args, "draft", signal);
    const request = { by: AGENT, acceptUrlPrice, note };
    const published = await publishDraft({ ...bookOf(services), call }, id, request);
    if (published.ok) return ok(await answerOf(services.db, published.value));
    // The called tools have no other codes.
    return published as Failed<Failure<(typeof publishErrors)[number]>>;
  },
});

export const discardDraftTool = defineTool({
  ...changing,
  name: "discard_draft",
  searchWords:
    "delete a draft, delete a scheduled post, cancel a scheduled post, cancel recurring posts, unschedule",
  facts: { everyday: true, isLocal: true },
  title: "Discard a draft",
  description:
    "Discard a draft and take it off the schedule, or with `series` all recurring posts that are left.",
  effect: "delete",
  errors: ["not_found", "validation_error", "db_error"],
  input: z.strictObject({
    id,
    series: z.boolean().optional().describe("true: every post of its series that is not out"),
  }),
  output: draft.extend({ discarded: z.number().optional().describe("How many posts of the series") }),
  handler: async ({ id, series }, services) => {
    const book = bookOf(services);
    if (series !== true) {
      const discarded = await discardDraft(book, id, AGENT);
      return discarded.ok ? ok(draftView(discarded.value)) : discarded;
    }
    const ended = await discardSeries(book, id, AGENT);
    if (!ended.ok) return ended;
    const named = await findDraft(book, id);
    return named.ok ? ok({ ...draftView(named.value), discarded: ended.value.length }) : named;
  },
});

/** If it waits, with a queued call's members. */
async function answerOf(
  { store, account }: Pick<Services["db"], "store" | "account">,
  draft: Draft,
): Promise<z.output<typeof queuedDraft>> {
  const view = draftView(draft);
  if (view.approval !== "waiting" || draft.approvalId === undefined) return view;
  const item = await findItem(store.db, account, draft.approvalId);
  if (!item.ok) return view;
  const answer = queuedAnswer(item.value);
  // The first spread sets the order, the last the value.
  if (draft.status === "queued") return { ...answer, ...view, ...answer };
  const message = `Scheduled. It goes out at its time once a person has approved item ${draft.approvalId}.`;
  return { ...answer, ...view, message };
}

function rulesOf({ workflow }: Pick<Services, "workflow">): ContentRules {
  return { access: workflow.access, mediaRoots: workflow.mediaRoots };
}

function schedulingBook(services: Pick<Services, "db" | "workflow">, signal: AbortSignal) {
  return {
    ...bookOf(services),
    slots: services.workflow.slots,
    ask: (call: ScheduledCall) => services.workflow.askToSchedule({ ...call, isByAgent: true }, signal),
  };
}

function bookOf({ db, workflow }: Pick<Services, "db" | "workflow">): DraftContext {
  return { ...db, now: workflow.now };
}
