import type { Failed, Failure, Outcome } from "@toolpact/contract";
import { errors } from "../errors.ts";
import { type Finding, settleByPerson } from "../guards/receipts/kysely-receipts.ts";
import { earlierCall, identityOf } from "../guards/receipts/receipt.ts";
import { findReceipt } from "../guards/receipts/receipt-queries.ts";
import type { Draft, DraftContext } from "./draft.ts";
import { findDraft } from "./find-draft.ts";
import { draftKey, postingCall, scheduleKey } from "./publish-draft.ts";
import { changeDraft } from "./store-draft.ts";

/** By what a person found at X. Sends nothing; the next pass continues from there. */
export async function settleDraft(
  context: DraftContext,
  id: number,
  finding: Finding,
  by: string,
): Promise<Outcome<Draft, Failure<"not_found" | "validation_error">>> {
  const { store, account, now } = context;
  const found = await findDraft(context, id);
  if (!found.ok) return found;
  const draft = found.value;
  const receiptId = await unsettledReceipt(context, draft);
  const settled =
    receiptId === undefined ? undefined : await settleByPerson(store, receiptId, finding, now());
  if (settled === undefined) return outcomeKnown(draft);
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
    return findDraft(context, id);
  }
  const noted = await changeDraft(context, draft, { lease_until: 0 }, { what: "settled", by, note });
  return noted.ok ? findDraft(context, id) : noted;
}

async function unsettledReceipt(
  { store, account, now }: DraftContext,
  draft: Draft,
): Promise<string | undefined> {
  const { status, scheduleId } = draft;
  if (status !== "publishing" && (status !== "scheduled" || scheduleId === undefined)) return undefined;
  const key = status === "publishing" ? draftKey(draft) : scheduleKey(scheduleId ?? 0);
  const { claim } = identityOf(account, ...postingCall(draft, key));
  const receipt = await findReceipt(store.db, account, { claim });
  return receipt !== undefined && earlierCall(receipt, now()).kind === "unsettled" ? receipt.id : undefined;
}

function outcomeKnown({ id, status }: Draft): Failed<Failure<"validation_error">> {
  return errors.fail(
    "validation_error",
    `The outcome of draft ${id} is known, or it is being published right now.`,
    {
      suggestedFix: "See it with `tuitbot drafts show`.",
      fixBy: "human",
      details: { draft_id: id, status },
    },
  );
}
