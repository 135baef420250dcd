import type { Failed, Failure, Outcome } from "@toolpact/contract";
import { errors } from "../errors.ts";
import { identityOf } from "../mutation/receipts/call-identity.ts";
import { earlierCall } from "../mutation/receipts/receipt.ts";
import { findReceipt } from "../mutation/receipts/receipt-queries.ts";
import { type Finding, settleByPerson } from "../mutation/receipts/settle-by-person.ts";
import type { Draft, DraftBook } from "./draft.ts";
import { findDraft } from "./find-draft.ts";
import { changeDraft } from "./keep-draft.ts";
import { draftKey, postingCall, scheduleKey } from "./posting-call.ts";

/**
 * Ends the doubt about a draft that X did not answer to, by what a person has found there. Nothing is sent: the next
 * pass, or publishing it once more, goes on from what is known then.
 */
export async function settleDraft(
  book: DraftBook,
  id: number,
  finding: Finding,
  by: string,
): Promise<Outcome<Draft, Failure<"not_found" | "validation_error">>> {
  const { store, account, now } = book;
  const found = await findDraft(book, id);
  if (!found.ok) return found;
  const draft = found.value;
  const receiptId = await receiptInDoubt(book, draft);
  const settled =
    receiptId === undefined ? undefined : await settleByPerson(store, receiptId, finding, now());
  if (settled === undefined) return notInDoubt(draft);
  const isNothingOut = settled.stepsDone === 0;
  const note = finding.isOut ? "A person found it at X." : "A person did not find it at X.";
  if (draft.status === "scheduled") {
    const failure: Failure = { code: "validation_error", message: note };
    await store.db
      .updateTable("scheduled_posts")
      .set(isNothingOut ? { status: "failed", error_json: JSON.stringify(failure) } : { lease_until: now() })
      .where("account", "=", account)
      .where("id", "=", draft.scheduleId ?? 0)
      .where("status", "=", "publishing")
      .execute();
    return findDraft(book, id);
  }
  const noted = await changeDraft(book, draft, { lease_until: 0 }, { what: "settled", by, note });
  return noted.ok ? findDraft(book, id) : noted;
}

/** The receipt of what was sent for a draft, if nobody knows what became of it. */
async function receiptInDoubt({ store, account, now }: DraftBook, draft: Draft): Promise<string | undefined> {
  const { status, texts, scheduleId } = draft;
  if (status !== "publishing" && (status !== "scheduled" || scheduleId === undefined)) return undefined;
  const key = status === "publishing" ? draftKey(draft) : scheduleKey(scheduleId ?? 0);
  const { claim } = identityOf(account, ...postingCall(texts, key));
  const receipt = await findReceipt(store.db, account, { claim });
  return receipt !== undefined && earlierCall(receipt, now()).kind === "unsettled" ? receipt.id : undefined;
}

function notInDoubt({ id, status }: Draft): Failed<Failure<"validation_error">> {
  return errors.fail("validation_error", `It is known whether draft ${id} is out, or it is at work.`, {
    suggestedFix: "Look at it with `tuitbot drafts show`.",
    fixBy: "human",
    details: { draft_id: id, status },
  });
}
