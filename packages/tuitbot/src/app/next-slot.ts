import { ok } from "@toolpact/outcome";
import type { QueuedMutation } from "../approval/item.ts";
import { alreadyDecided, expireOld, findItem } from "../approval/queue.ts";
import { isUnchanged, releaseItem } from "../approval/release.ts";
import { waitsForOthers } from "../approval/vote.ts";
import { draftView } from "../drafts/draft-view.ts";
import { createScheduled } from "../drafts/edit-draft.ts";
import { nextSlot } from "../drafts/next-slot.ts";
import { errors } from "../errors.ts";
import { ACCEPT_URL_PRICE } from "../guards/receipts/receipt.ts";
import { approvalsOf, type PersonSession } from "./approvals.ts";
import { draftBook } from "./drafts.ts";
import { type SeenItem, signedApproval } from "./passkey-approval.ts";
import type { Signature } from "./sign-in/passkeys.ts";

/**
 * A scheduled draft replaces the item, and the person's approval is for that. If the process dies in between,
 * both wait.
 */
export async function approveForNextSlot(
  { id, digest, signature }: SeenItem & { readonly signature?: Signature | undefined },
  session: PersonSession,
) {
  const { db, workflow, approvals, by } = session;
  await expireOld(db.store.db, db.account, workflow.now());
  const found = await findItem(db.store.db, db.account, id);
  if (!found.ok) return found;
  const item = found.value;
  if (item.status !== "pending") return alreadyDecided(item);
  const sound = await isUnchanged(approvals, item, digest);
  if (!sound.ok) return sound;
  const texts = plainTexts(item);
  if (texts === undefined)
    return errors.fail(
      "validation_error",
      `Item ${id} cannot be scheduled: only posts of your own without media can.`,
      {
        suggestedFix: "Approve it now, or reject it.",
        fixBy: "human",
      },
    );
  const passkey = await signedApproval("next_slot", [{ id, digest }], signature, session);
  if (!passkey.ok) return passkey;
  const book = draftBook(session);
  const slot = await nextSlot(book, workflow.slots);
  if (!slot.ok) return slot;
  const acceptUrlPrice = item.args[ACCEPT_URL_PRICE] === true;
  const created = await createScheduled(
    book,
    { texts, media: [], by },
    { dueAt: slot.value, acceptUrlPrice, by },
  );
  if (!created.ok) return created;
  const draft = created.value;
  const withdrawn = await approvalsOf(session).reject(item, `Scheduled as draft ${draft.id}.`, draft.id);
  if (!withdrawn.ok) return withdrawn;
  let isApproved = false;
  if (draft.approvalId !== undefined) {
    const scheduled = await findItem(db.store.db, db.account, draft.approvalId);
    if (!scheduled.ok) return scheduled;
    const approved = await releaseItem(approvals, draft.approvalId, {
      digest: scheduled.value.digest,
      by,
      passkey: passkey.value,
    });
    if (!approved.ok) return approved;
    isApproved = !waitsForOthers(approved.value);
  }
  return ok({ id, status: "scheduled", draft: draftView({ ...draft, isApproved }) });
}

/** Undefined for replies and posts with media. */
function plainTexts({ tool, args, media, schedule }: QueuedMutation): readonly string[] | undefined {
  if (media.length > 0 || schedule !== undefined) return undefined;
  if (tool === "x_post_tweet" && typeof args.text === "string") return [args.text];
  if (tool === "x_post_thread" && Array.isArray(args.tweets) && args.resume === undefined)
    return args.tweets.filter((text) => typeof text === "string");
  return undefined;
}
