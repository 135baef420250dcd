import { type Failure, failed, type JsonObject, type Outcome } from "@toolpact/contract";
import type { Executed } from "../approval/release.ts";
import { ACCEPT_URL_PRICE } from "../mutation/receipts/call-identity.ts";
import { transact } from "../storage/transact.ts";
import { numberIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import { type Draft, type DraftBook, goingOut, notNow } from "./draft.ts";
import { findDraft, readDraft } from "./find-draft.ts";
import { changeDraft, changeDraftIn, OPEN } from "./keep-draft.ts";
import { partOut } from "./part-out.ts";
import { draftKey, postingCall } from "./posting-call.ts";
import { asBefore, unschedule } from "./where-it-was.ts";

export interface Publishing extends DraftBook {
  /** Calls a tool through the whole pipeline. */
  readonly call: (tool: string, args: JsonObject) => Promise<Executed>;
}

/** After this long whoever publishes is gone. What they sent is on a receipt, so nothing goes out twice. */
const LEASE_MS = 15 * 60_000;

export interface PublishWish {
  readonly by: string;
  /** Yes to what X charges for a link. */
  readonly acceptUrlPrice?: boolean | undefined;
}

/** Publishes a draft now, or hands it to the person who has to approve. */
export async function publishDraft(
  book: Publishing,
  id: number,
  wish: PublishWish,
): Promise<Outcome<Draft, Failure>> {
  const { by } = wish;
  const isLeft = ({ status, leaseUntil }: Draft) => status === "publishing" && leaseUntil <= book.now();
  const before = await readDraft(book, id);
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const seen = found.value;
  // It was out, and whoever published it was not told.
  if (before !== undefined && isLeft(before) && seen.status === "published") return found;
  if (!OPEN.has(seen.status) && !isLeft(seen)) return notNow(seen);
  const claimed = await transact(book.store, async (db) => {
    if (!(await unschedule(db, book, seen))) return goingOut(seen);
    const columns = { status: "publishing", lease_until: book.now() + LEASE_MS } as const;
    return changeDraftIn(db, book, seen, columns, { what: "publishing", by });
  });
  return claimed.ok ? carryOut(book, claimed.value, wish) : claimed;
}

async function carryOut(
  book: Publishing,
  draft: Draft,
  { by, acceptUrlPrice }: PublishWish,
): Promise<Outcome<Draft, Failure>> {
  const [tool, args] = postingCall(draft.texts, draftKey(draft));
  const executed = await book.call(tool, {
    ...args,
    ...(draft.resume !== undefined && { resume: draft.resume }),
    ...(acceptUrlPrice && { [ACCEPT_URL_PRICE]: true }),
  });
  if (executed.ok) {
    const result_json = JSON.stringify(executed.result);
    const columns = { status: "published", result_json, resume: null, scheduled_for: null } as const;
    return changeDraft(book, draft, columns, { what: "published", by });
  }
  const { failure, isRetryable } = executed;
  const details = objectIn(failure.details);
  const item = numberIn(details, "approval_queue_id");
  if (failure.policyDecision === "routed_to_approval" && item !== undefined)
    return changeDraft(book, draft, { status: "queued", approval_id: item }, { what: "queued", by });
  const back = await transact(book.store, async (db) => {
    const out = partOut(failure);
    const columns = isOpen(textIn(objectIn(details, "receipt"), "state"))
      ? { lease_until: 0 }
      : out.resume === undefined || out.result_json === JSON.stringify(draft.result)
        ? await asBefore(db, book, draft)
        : ({ status: "draft", scheduled_for: null, ...out } as const);
    return changeDraftIn(db, book, draft, columns, { what: "failed", by, note: failure.message });
  });
  return back.ok ? failed(asToldOfDraft(failure, isRetryable)) : back;
}

/** The draft keeps the handle, and knows what is out only if it is what goes on. */
function asToldOfDraft(failure: Failure, isRetryable: boolean): Failure {
  if (failure.code !== "thread_partial_failure") return failure;
  const { resume: _, ...details } = failure.details ?? {};
  const again = "all publish_draft again: it goes on after what is out and posts nothing twice.";
  return {
    ...failure,
    suggestedFix: isRetryable ? `C${again}` : `Mend what \`cause\` names, then c${again}`,
    details,
  };
}

/** It may be out, so its texts stand until publishing it again has settled that. */
function isOpen(receiptState: string | undefined): boolean {
  return receiptState === "unknown" || receiptState === "pending";
}
