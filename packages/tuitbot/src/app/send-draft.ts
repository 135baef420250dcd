import type { Failure } from "@toolpact/contract";
import { microsOf, usdOf } from "@toolpact/contract/internal/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { findItem } from "../approval/queue.ts";
import { waitsForOthers } from "../approval/vote.ts";
import { changedConcurrently, type Draft } from "../drafts/draft.ts";
import { type DraftMedia, uploadMicros } from "../drafts/draft-media.ts";
import type { DraftOptions } from "../drafts/draft-options.ts";
import {
  checkContent,
  readWhen,
  restoreDraft,
  scheduleDraft,
  unscheduleDraft,
} from "../drafts/edit-draft.ts";
import { findDraft } from "../drafts/find-draft.ts";
import { postingCall } from "../drafts/publish-draft.ts";
import { errors } from "../errors.ts";
import { ACCEPT_URL_PRICE } from "../guards/receipts/receipt.ts";
import { approvalsOf, type PersonSession } from "./approvals.ts";
import { draftBook, fullView } from "./drafts.ts";
import { neverFits, refusalOf, testCall } from "./test-call.ts";

/** Real time in which a person can take a post back. */
export const UNDO_MS = 10_000;

interface Content {
  readonly texts: readonly string[];
  readonly media: readonly DraftMedia[];
  readonly options?: DraftOptions | undefined;
}

/** As `sendDraft`, but sends and counts nothing. */
export async function checkPost(content: Content, session: PersonSession) {
  const checked = await priced(content, session);
  if (!checked.ok) return checked;
  const { tool, args, estimated_usd } = checked.value;
  const tested = await testCall({ tool, args }, session);
  return tested.ok ? ok({ ...tested.value, estimated_usd }) : tested;
}

/** Or why X would reject the content. */
async function priced({ texts, media, options }: Content, { workflow, signal }: PersonSession) {
  const usable = await checkContent(workflow, texts, media, options);
  if (!usable.ok) return usable;
  // An agent's equal call is distinct, so this needs its own key.
  const [tool, posting] = postingCall({ texts, options, media: [] }, "check");
  const args = { ...posting, [ACCEPT_URL_PRICE]: true };
  const previewed = await workflow.preview(tool, args, signal);
  if (!previewed.ok) return previewed;
  const micros = microsOf(previewed.value.estimatedUsd) + uploadMicros(media);
  return ok({ tool, args, preview: previewed.value, estimated_usd: usdOf(micros) });
}

export interface SendRequest {
  readonly id: number;
  /** As shown; undefined if none was shown. */
  readonly revision: number;
  /** As shown; undefined if none was shown. */
  readonly price_usd?: number | undefined;
  /** Default: as soon as it can no longer be taken back. */
  readonly scheduled_for?: string | undefined;
  readonly next_slot?: boolean | undefined;
}

/** Schedules the draft; the person's act approves this content, time and price. It can be taken back until due. */
export async function sendDraft(
  { id, revision, price_usd, ...time }: SendRequest,
  session: PersonSession & { readonly speed: number },
) {
  const { workflow, by, speed } = session;
  const book = draftBook(session);
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  if (found.value.revision !== revision) return changedConcurrently(id);
  const at = await readWhen(book, time);
  if (!at.ok) return at;
  const checked = await priced(found.value, session);
  if (!checked.ok) return checked;
  const { tool, preview, estimated_usd } = checked.value;
  const refusal = refusalOf(tool, preview);
  const isForNow = at.value === undefined;
  // Today's limits and budget mean nothing for another day.
  if (refusal !== undefined && (isForNow || preview.decision.kind === "deny" || neverFits(preview)))
    return failed(refusal);
  if (price_usd !== undefined && microsOf(price_usd) !== microsOf(estimated_usd))
    return errors.fail("validation_error", "The price has changed since it was shown. Nothing was sent.", {
      suggestedFix: "Look at the new price, then decide again.",
      fixBy: "human",
    });
  // The price of links was shown.
  const dueAt = at.value ?? workflow.now() + UNDO_MS * speed;
  const scheduled = await scheduleDraft(book, id, { dueAt, acceptUrlPrice: true, by });
  if (!scheduled.ok) return scheduled;
  const before = found.value.scheduledFor;
  const approval = await approveOwn(scheduled.value, session);
  if (!approval.ok) {
    // The user saw a rejection, so it must not go out later.
    await unscheduleDraft(book, id, by);
    return approval;
  }
  const current = await findDraft(book, id);
  return current.ok
    ? ok({
        draft: fullView(current.value),
        ...approval.value,
        estimated_usd,
        /** For an undo; null if it was not scheduled. */
        scheduled_before: before === undefined ? null : new Date(before).toISOString(),
      })
    : current;
}

type Approved = {
  /** `others`: more people must approve. `passkey`: `approve` the item with a signature. */
  readonly waits_for: "others" | "passkey" | null;
  readonly item: { readonly id: number; readonly digest: string } | null;
};

async function approveOwn(
  { approvalId }: Draft,
  session: PersonSession,
): Promise<Outcome<Approved, Failure>> {
  const { store, account } = session.db;
  if (approvalId === undefined) return ok({ waits_for: null, item: null });
  const found = await findItem(store.db, account, approvalId);
  if (!found.ok) return found;
  const { id, digest } = found.value;
  const approved = await approvalsOf(session).approve({ id, digest });
  if (approved.ok)
    return ok({ waits_for: waitsForOthers(approved.value) ? "others" : null, item: { id, digest } });
  return approved.failure.reason === "needs_passkey"
    ? ok({ waits_for: "passkey", item: { id, digest } })
    : approved;
}

/** Unless it is being published. */
export async function takeBack({ id }: { readonly id: number }, { db, workflow, by }: PersonSession) {
  const back = await unscheduleDraft({ ...db, now: workflow.now }, id, by);
  return back.ok ? ok({ draft: fullView(back.value) }) : back;
}

/** Restores a discarded draft, scheduled if `scheduled_for` is given. `approve` approves that time too. */
export async function bringBack(
  request: {
    readonly id: number;
    readonly scheduled_for?: string | undefined;
    readonly approve?: boolean | undefined;
  },
  session: PersonSession,
) {
  const { id, scheduled_for, approve = false } = request;
  const { by } = session;
  const book = draftBook(session);
  const at = await readWhen(book, { scheduled_for });
  if (!at.ok) return at;
  const restored = await restoreDraft(book, id, by);
  if (!restored.ok || at.value === undefined)
    return restored.ok ? ok({ draft: fullView(restored.value) }) : restored;
  const scheduled = await scheduleDraft(book, id, { dueAt: at.value, acceptUrlPrice: true, by });
  if (!scheduled.ok) return scheduled;
  const approved = approve ? await approveOwn(scheduled.value, session) : undefined;
  if (approved?.ok === false) return approved;
  const current = await findDraft(book, id);
  return current.ok ? ok({ draft: fullView(current.value) }) : current;
}

/** Withdraws the approval of a scheduled draft. */
export async function askAgain({ id }: { readonly id: number }, session: PersonSession) {
  const { by } = session;
  const book = draftBook(session);
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const { scheduledFor } = found.value;
  if (scheduledFor === undefined)
    return errors.fail("validation_error", `Draft ${id} is not scheduled any more.`, { fixBy: "human" });
  const asked = await scheduleDraft(book, id, { dueAt: scheduledFor, acceptUrlPrice: true, by });
  return asked.ok ? ok({ draft: fullView(asked.value) }) : asked;
}
