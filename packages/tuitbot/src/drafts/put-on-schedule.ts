import { type Failed, type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { linkSurcharge, postsPrice } from "../guards/call/mutation.ts";
import { urlPrice } from "../guards/mutation/budget.ts";
import { ACCEPT_URL_PRICE, IDEMPOTENCY_KEY } from "../guards/receipts/receipt.ts";
import type { Database } from "../storage/database.ts";
import { addComment } from "./comments.ts";
import type { Draft, DraftContext } from "./draft.ts";
import { mediaJson } from "./draft-media.ts";
import { optionsJson } from "./draft-options.ts";
import { type PostingContent, postingCall, scheduleKey } from "./publish-draft.ts";
import {
  type AskCode,
  type AskToSchedule,
  type Enqueue,
  type ScheduledCall,
  scheduleOf,
} from "./schedule.ts";
import { changeDraftIn } from "./store-draft.ts";

export interface ScheduleContext extends DraftContext {
  /** Default: asked when it is due. */
  readonly ask?: ((call: ScheduledCall) => ReturnType<AskToSchedule>) | undefined;
}

export interface ScheduleRequest {
  readonly dueAt: number;
  /** For a link. */
  readonly acceptUrlPrice?: boolean | undefined;
  readonly by: string;
  /** For the approver. */
  readonly note?: string | undefined;
}

/** And in the queue, if approval is required. */
export async function placeOnSchedule(
  db: Kysely<Database>,
  context: ScheduleContext,
  draft: Draft,
  request: ScheduleRequest,
  enqueue: Enqueue | undefined,
): Promise<Outcome<Draft, Failure<"validation_error">>> {
  const placed = await insertSchedule(db, context, draft, request, enqueue);
  const { by: author, note: text } = request;
  if (text !== undefined) await addComment(db, context, { draft: draft.id, author, isAgent: true, text });
  const columns = { status: "scheduled", scheduled_for: request.dueAt, ...placed } as const;
  return changeDraftIn(db, context, draft, columns, { what: "scheduled", by: request.by });
}

/** Undefined if no approval is required. */
export async function askAbout(
  { ask }: ScheduleContext,
  content: PostingContent,
  { dueAt, note }: Pick<ScheduleRequest, "dueAt" | "note">,
): Promise<Outcome<Enqueue | undefined, Failure<AskCode>>> {
  if (ask === undefined) return ok(undefined);
  const [tool, args] = callWithoutKey(content);
  return asked(await ask({ tool, posts: [{ args, at: dueAt }], media: content.media, note }));
}

/** X is not asked, so no other code occurs. */
export function asked(
  answer: Awaited<ReturnType<AskToSchedule>>,
): Outcome<Enqueue | undefined, Failure<AskCode>> {
  return answer.ok ? answer : failed(answer.failure as Failure<AskCode>);
}

/** The key would name a row that does not exist yet. */
export function callWithoutKey(
  content: Omit<PostingContent, "media">,
): readonly [tool: string, args: JsonObject] {
  const [tool, { [IDEMPOTENCY_KEY]: _, ...args }] = postingCall({ ...content, media: [] }, "");
  return [tool, args];
}

/** With the item to approve first. */
export async function insertSchedule(
  db: Kysely<Database>,
  context: DraftContext,
  draft: Draft,
  request: ScheduleRequest,
  enqueue: Enqueue | undefined,
): Promise<{ readonly schedule_id: number; readonly approval_id: number | null }> {
  const schedule_id = await insertRow(db, context, draft, request);
  if (enqueue === undefined) return { schedule_id, approval_id: null };
  const args = scheduledArgs(schedule_id, draft, request);
  const approval_id = await enqueue(db, args, scheduleOf(request.dueAt, draft.media));
  await db
    .updateTable("scheduled_posts")
    .set({ approval_id })
    .where("account", "=", context.account)
    .where("id", "=", schedule_id)
    .execute();
  return { schedule_id, approval_id };
}

/** Before its media are uploaded. */
export function scheduledArgs(
  row: number,
  { texts, options }: PostingContent,
  { acceptUrlPrice }: Pick<ScheduleRequest, "acceptUrlPrice">,
): JsonObject {
  const [, args] = postingCall({ texts, options, media: [] }, scheduleKey(row));
  return { ...args, ...(acceptUrlPrice && { [ACCEPT_URL_PRICE]: true }) };
}

export async function insertRow(
  db: Kysely<Database>,
  { account, now }: DraftContext,
  { id, texts, media, options, topic, framework }: Draft,
  { dueAt, acceptUrlPrice = false }: ScheduleRequest,
  approval_id: number | null = null,
): Promise<number> {
  const row = await db
    .insertInto("scheduled_posts")
    .values({
      account,
      draft_id: id,
      texts_json: JSON.stringify(texts),
      media_json: mediaJson(media),
      options_json: optionsJson(options),
      topic: topic ?? null,
      format: framework ?? null,
      due_at: dueAt,
      status: "scheduled",
      created_at: now(),
      lease_until: 0,
      tries: 0,
      approval_id,
      post_id: null,
      error_json: null,
      accepts_url_price: acceptUrlPrice ? 1 : 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Undefined if there are none. */
export function unacceptedLinks(texts: readonly string[]): Failed<Failure<"validation_error">> | undefined {
  const surcharge = linkSurcharge(texts, postsPrice(texts));
  return surcharge && urlPrice(surcharge);
}
