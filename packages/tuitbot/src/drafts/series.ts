import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import { errors } from "../errors.ts";
import type { Schedule } from "../guards/approval/ask-for-approval.ts";
import { transact } from "../storage/transaction.ts";
import type { Draft, DraftContext, SeriesPlace } from "./draft.ts";
import type { DraftMedia } from "./draft-media.ts";
import { discardDraft } from "./edit-draft.ts";
import { listSeries } from "./find-draft.ts";
import {
  asked,
  callWithoutKey,
  insertRow,
  type ScheduleContext,
  type ScheduleRequest,
  scheduledArgs,
  unacceptedLinks,
} from "./put-on-schedule.ts";
import type { Recurrence } from "./recurrence.ts";
import { occurrencesOf } from "./recurrence.ts";
import { type AskCode, scheduleOf } from "./schedule.ts";
import { changeDraftIn, createDraftIn } from "./store-draft.ts";

/** Variants of one text. */
export interface SeriesRequest extends Recurrence, Omit<ScheduleRequest, "dueAt"> {
  /** In turn. */
  readonly variants: readonly string[];
  /** `post` is the variant, from 1. */
  readonly media: readonly DraftMedia[];
  readonly topic?: string | undefined;
}

/** X rejects the same words for a day; clocks and late runners need more. */
const SAME_WORDS_MS = 36 * HOUR_MS;

/** With one approval for all, if required. */
export async function createSeries(
  context: ScheduleContext,
  request: SeriesRequest,
): Promise<Outcome<readonly Draft[], Failure<"invalid_input" | "validation_error" | AskCode>>> {
  const { variants, media, repeats, timezone, by, topic } = request;
  const links = request.acceptUrlPrice ? undefined : unacceptedLinks(variants);
  if (links !== undefined) return links;
  const times = await occurrencesOf(request, context.now());
  if (!times.ok) return times;
  const repetition = tooSimilar(variants, times.value);
  if (repetition !== undefined) return repetition;
  const posts = times.value.map((at, index) => postAt(request, at, index));
  const [tool] = callWithoutKey({ texts: ["one"] });
  const enqueue =
    context.ask === undefined
      ? ok(undefined)
      : asked(
          await context.ask({
            tool,
            posts: posts.map(({ texts, at }) => ({ args: callWithoutKey({ texts })[1], at })),
            media,
            note: request.note,
          }),
        );
  if (!enqueue.ok) return enqueue;
  return transact(context.store, async (db) => {
    const until = new Date(request.until).toISOString();
    const placed: { readonly draft: Draft; readonly row: number; readonly at: number }[] = [];
    for (const [index, { texts, media, at }] of posts.entries()) {
      const place: SeriesPlace = { number: index + 1, of: posts.length, repeats, timezone, until };
      const series = { id: placed[0]?.draft.id, place };
      const draft = await createDraftIn(db, context, { texts, media, topic, by, series });
      placed.push({ draft, at, row: await insertRow(db, context, draft, { ...request, dueAt: at }) });
    }
    const [first] = placed;
    let approval_id: number | null = null;
    if (enqueue.value !== undefined && first !== undefined) {
      const parts = placed.map(({ draft, row, at }) => ({
        schedule_id: row,
        args: scheduledArgs(row, draft, request),
        ...scheduleOf(at, draft.media),
      }));
      const schedule: Schedule = {
        ...scheduleOf(first.at, request.media),
        series: { repeats: `${repeats} (${timezone})`, until, posts: parts },
      };
      approval_id = await enqueue.value(db, parts[0]?.args ?? {}, schedule);
      await db
        .updateTable("scheduled_posts")
        .set({ approval_id })
        .where("account", "=", context.account)
        .where(
          "id",
          "in",
          placed.map(({ row }) => row),
        )
        .execute();
    }
    const drafts: Draft[] = [];
    for (const { draft, row, at } of placed) {
      const columns = { status: "scheduled", scheduled_for: at, schedule_id: row, approval_id } as const;
      const changed = await changeDraftIn(db, context, draft, columns, { what: "scheduled", by });
      if (!changed.ok) return changed;
      drafts.push(changed.value);
    }
    return ok(drafts);
  });
}

/** Those not published yet. */
export async function discardSeries(
  context: DraftContext,
  id: number,
  by: string,
): Promise<Outcome<readonly Draft[], Failure<"not_found" | "validation_error">>> {
  const listed = await listSeries(context, id);
  if (!listed.ok) return listed;
  const discarded: Draft[] = [];
  for (const draft of listed.value) {
    const gone = await discardDraft(context, draft.id, by);
    if (!gone.ok) return gone;
    discarded.push(gone.value);
  }
  return ok(discarded);
}

function postAt({ variants, media }: SeriesRequest, at: number, index: number) {
  const variant = index % variants.length;
  return {
    at,
    texts: [variants[variant] ?? ""],
    media: media.filter(({ post }) => post === variant + 1).map((file) => ({ ...file, post: 1 })),
  };
}

/** Undefined unless X would see a duplicate. */
function tooSimilar(variants: readonly string[], times: readonly number[]) {
  const words = variants.map((text) => text.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase());
  const twin = words.findIndex((text, index) => words.indexOf(text) !== index);
  if (twin >= 0)
    return refused(`Variants ${words.indexOf(words[twin] ?? "") + 1} and ${twin + 1} have the same words.`);
  const needed = times.reduce((most, at, index) => {
    const within = times.slice(index).findIndex((later) => later - at >= SAME_WORDS_MS);
    return Math.max(most, within < 0 ? times.length - index : within);
  }, 1);
  return needed <= variants.length
    ? undefined
    : refused(
        `These times need at least ${needed} variants, to keep each text from repeating within ${SAME_WORDS_MS / HOUR_MS} hours; there ${variants.length === 1 ? "is 1" : `are ${variants.length}`}.`,
      );
}

function refused(message: string) {
  return errors.fail(
    "invalid_input",
    `\`variants\`: ${message} X refuses a post with the same words again.`,
    {
      suggestedFix: "Write more variants in other words, or choose times that are further apart.",
      fixBy: "agent",
    },
  );
}
