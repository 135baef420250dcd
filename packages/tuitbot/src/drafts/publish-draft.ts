import { type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { digest, MINUTE_MS } from "@toolpact/contract/internal";
import type { CallResult } from "../approval/release.ts";
import { ACCEPT_URL_PRICE, IDEMPOTENCY_KEY, NOTE, OWN_KEY } from "../guards/receipts/receipt.ts";
import { transact } from "../storage/transaction.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import { addComment } from "./comments.ts";
import { beingPublished, type Draft, type DraftContext, partlyPublished, wrongStatus } from "./draft.ts";
import { mediaIdsPerPost, mediaJson, uploadMedia } from "./draft-media.ts";
import { type DraftOptions, optionsJson, postingTool } from "./draft-options.ts";
import { findDraft, readDraft } from "./find-draft.ts";
import { cancelSchedule, restoreSchedule } from "./schedule.ts";
import { changeDraft, changeDraftIn, EDITABLE } from "./store-draft.ts";

export interface PublishContext extends DraftContext {
  /** With all guards. */
  readonly call: (tool: string, args: JsonObject) => Promise<CallResult>;
}

/** Then its process is presumed dead. Sent posts have a receipt, so nothing is sent twice. */
const LEASE_MS = 15 * MINUTE_MS;

export interface PublishRequest {
  readonly by: string;
  /** For a link. */
  readonly acceptUrlPrice?: boolean | undefined;
  /** For the approver. */
  readonly note?: string | undefined;
}

/** Or queues it. */
export async function publishDraft(
  context: PublishContext,
  id: number,
  request: PublishRequest,
): Promise<Outcome<Draft, Failure>> {
  const { by } = request;
  const isAbandoned = ({ status, leaseUntil }: Draft) =>
    status === "publishing" && leaseUntil <= context.now();
  const before = await readDraft(context, id);
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const seen = found.value;
  // It was published, and its process did not learn so.
  if (before !== undefined && isAbandoned(before) && seen.status === "published") return found;
  if (!EDITABLE.has(seen.status) && !isAbandoned(seen)) return wrongStatus(seen);
  const claimed = await transact(context.store, async (db) => {
    if (!(await cancelSchedule(db, context, seen))) return beingPublished(seen);
    const { note: text } = request;
    if (text !== undefined) await addComment(db, context, { draft: id, author: by, isAgent: true, text });
    const columns = { status: "publishing", lease_until: context.now() + LEASE_MS } as const;
    return changeDraftIn(db, context, seen, columns, { what: "publishing", by });
  });
  return claimed.ok ? carryOut(context, claimed.value, request) : claimed;
}

/** Or why a file could not be uploaded. */
async function withUploads(
  context: PublishContext,
  draft: Draft,
  by: string,
): Promise<Outcome<{ draft: Draft; failed?: Extract<CallResult, { ok: false }> }, Failure>> {
  if (draft.media.length === 0) return ok({ draft });
  const firstOpen = listIn(objectIn(draft.result), "thread_tweet_ids").length + 1;
  const media = await uploadMedia(context, draft.media, draftKey(draft), firstOpen);
  if (!media.ok) return ok({ draft, failed: media.failure });
  if (media.value.every((file, index) => file === draft.media[index])) return ok({ draft });
  // Before sending, because a repeated call must name the same uploads.
  const stored = await changeDraft(
    context,
    draft,
    { media_json: mediaJson(media.value) },
    { what: "uploaded", by },
  );
  return stored.ok ? ok({ draft: stored.value }) : stored;
}

async function carryOut(
  context: PublishContext,
  claimed: Draft,
  { by, acceptUrlPrice, note }: PublishRequest,
): Promise<Outcome<Draft, Failure>> {
  const ready = await withUploads(context, claimed, by);
  if (!ready.ok) return ready;
  const { draft, failed: upload } = ready.value;
  const [tool, args] = postingCall(draft, draftKey(draft));
  const executed =
    upload ??
    (await context.call(tool, {
      ...args,
      ...(draft.resume !== undefined && { resume: draft.resume }),
      ...(acceptUrlPrice && { [ACCEPT_URL_PRICE]: true }),
      ...(note !== undefined && { [NOTE]: note }),
    }));
  if (executed.ok) {
    const result_json = JSON.stringify(executed.result);
    const columns = { status: "published", result_json, resume: null, scheduled_for: null } as const;
    return changeDraft(context, draft, columns, { what: "published", by });
  }
  if (executed.ok === null) {
    const { approval_queue_id } = executed.queued;
    const columns = { status: "queued", approval_id: approval_queue_id } as const;
    return changeDraft(context, draft, columns, { what: "queued", by });
  }
  const { failure, isRetryable } = executed;
  const details = objectIn(failure.details);
  const back = await transact(context.store, async (db) => {
    const out = partlyPublished(failure);
    const columns = isUnsettled(textIn(objectIn(details, "receipt"), "state"))
      ? { lease_until: 0 }
      : out.resume === undefined || out.result_json === JSON.stringify(draft.result)
        ? await restoreSchedule(db, context, draft)
        : ({ status: "draft", scheduled_for: null, ...out } as const);
    return changeDraftIn(db, context, draft, columns, { what: "failed", by, note: failure.message });
  });
  return back.ok ? failed(withDraftFix(failure, isRetryable)) : back;
}

/** The draft has the handle that resumes the thread. */
function withDraftFix(failure: Failure, isRetryable: boolean): Failure {
  if (failure.code !== "thread_partial_failure") return failure;
  const { resume: _, ...details } = failure.details ?? {};
  const again = "all publish_draft again: it resumes after the published posts and posts nothing twice.";
  return {
    ...failure,
    suggestedFix: isRetryable ? `C${again}` : `Fix what \`cause\` names, then c${again}`,
    details,
  };
}

/** X may have published it, so its texts must not change. */
function isUnsettled(receiptState: string | undefined): boolean {
  return receiptState === "unknown" || receiptState === "pending";
}

export interface PostingContent extends Pick<Draft, "texts" | "media"> {
  readonly options?: DraftOptions | undefined;
}

/** A thread for several. The key identifies the call. */
export function postingCall(
  { texts, media, options }: PostingContent,
  key: string,
): readonly [tool: string, args: JsonObject] {
  const named = { [IDEMPOTENCY_KEY]: `${OWN_KEY}${key}` };
  const [first = ""] = texts;
  const ids = mediaIdsPerPost(media, texts.length).map((ids) => [...ids]);
  const hasMedia = ids.some(({ length }) => length > 0);
  const [tool, more] = postingTool(texts.length, options);
  const content =
    texts.length === 1
      ? { text: first, ...(hasMedia && { media_ids: ids[0] ?? [] }) }
      : { tweets: [...texts], ...(hasMedia && { media_ids: ids }) };
  return [tool, { ...content, ...more, ...named }];
}

/** The same texts of a draft are published once. */
export function draftKey({ id, texts, media, options }: Pick<Draft, "id"> & PostingContent): string {
  const files = media.map(({ post, file_path, alt_text = null }) => [post, file_path, alt_text]);
  const more = optionsJson(options);
  const content = more !== null ? [texts, files, more] : files.length === 0 ? texts : [texts, files];
  return `draft-${id}-${digest(content).slice(0, 16)}`;
}

export function scheduleKey(id: number): string {
  return `scheduled-${id}`;
}
