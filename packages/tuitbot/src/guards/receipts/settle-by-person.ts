import type { Finished } from "@toolpact/contract/internal/guards";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Store } from "../../storage/store.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import { finishReceipt } from "./finish.ts";
import { endStep } from "./kysely-receipts.ts";
import { stepsOf } from "./receipt-queries.ts";
import { effectOf } from "./x-requests.ts";

/** What a person who looked at X has found of a request that got no answer. */
export type Finding =
  | { readonly isOut: false }
  /** The id of the post, if it is one and they know it: then other calls can continue from there. */
  | { readonly isOut: true; readonly postId?: string };

/** Settles a receipt that reading back could not. Sends nothing. Undefined where its outcome is known by now. */
export async function settleByPerson(
  store: Store,
  receiptId: string,
  finding: Finding,
  now: number,
): Promise<Finished | undefined> {
  const taken = await overAllAccounts(store.db, "receipt")
    .updateTable("receipts")
    .set((eb) => ({ state: "pending", attempt: eb("attempt", "+", 1) }))
    .where("id", "=", receiptId)
    .where("state", "in", OPEN)
    .returning(["attempt", "account"])
    .executeTakeFirst();
  if (taken === undefined) return undefined;
  for (const step of await stepsOf(store.db, receiptId)) {
    if (!OPEN.includes(step.state)) continue;
    const ended = { ...step, ...endOf(finding), settled_at: now };
    const { makes, unmakes } = effectOf(ended);
    await endStep(store, { ...ended, makes }, unmakes);
  }
  return finishReceipt({ store, account: taken.account }, { receiptId, attempt: taken.attempt, now });
}

const OPEN: readonly ReceiptRow["state"][] = ["pending", "unknown"];

function endOf(finding: Finding) {
  if (!finding.isOut) return { state: "failed" } as const;
  const { postId } = finding;
  const answer_text = postId === undefined ? null : JSON.stringify({ data: { id: postId } });
  return { state: "confirmed", answer_text } as const;
}
