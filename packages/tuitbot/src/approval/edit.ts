import { canonicalJson, type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { errors } from "../errors.ts";
import type { Micros } from "../mutation/budget/money.ts";
import type { Store } from "../storage/store.ts";
import { transact } from "../storage/transact.ts";
import { approvalDigest } from "./digest.ts";
import { type ApprovalItem, itemFrom } from "./item.ts";
import { alreadyDecided, findItem } from "./queue.ts";

export interface Edit {
  readonly account: string;
  readonly id: number;
  /** Of the content that the editor saw. */
  readonly digest: string;
  readonly args: JsonObject;
  /** Of the new content. */
  readonly media: readonly string[];
  /** Digest of the new call. */
  readonly claim: string;
  readonly estimatedMicros: Micros;
  readonly editor: string;
  readonly now: number;
}

/** Changes what waits. It then has another digest, so that nobody's approval of the old content counts for it. */
export async function editItem(
  store: Store,
  key: Uint8Array,
  { account, id, digest, args, media, claim, estimatedMicros, editor, now }: Edit,
): Promise<Outcome<ApprovalItem, Failure>> {
  return transact(store, async (db) => {
    const found = await findItem(db, account, id);
    if (!found.ok) return found;
    const { tool, args: oldArgs } = found.value;
    const same = await db
      .selectFrom("approvals")
      .select("id")
      .where("account", "=", account)
      .where("claim", "=", claim)
      .where("id", "!=", id)
      .executeTakeFirst();
    if (same !== undefined) return saidAlready(id, same.id);
    const row = await db
      .updateTable("approvals")
      .set({
        claim,
        args_json: canonicalJson(args),
        media_json: JSON.stringify(media),
        estimated_micros: estimatedMicros,
        digest: approvalDigest(key, { account, tool, args, media }),
      })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "=", "pending")
      .where("digest", "=", digest)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined)
      return found.value.status === "pending" ? contentChanged(id) : alreadyDecided(found.value);
    await db
      .insertInto("approval_edits")
      .values({
        account,
        approval_id: id,
        at: now,
        editor,
        old_args_json: canonicalJson(oldArgs),
        new_args_json: canonicalJson(args),
      })
      .execute();
    return ok(itemFrom(row));
  });
}

function saidAlready(id: number, other: number): Outcome<never, Failure> {
  return errors.fail("validation_error", `Item ${other} already says this. Item ${id} is as it was.`, {
    reason: "duplicate_request",
    suggestedFix: `Approve item ${other} and reject this one, or give this one other words.`,
    fixBy: "human",
    details: { id, same_as: other },
  });
}

export function contentChanged(id: number): Outcome<never, Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    reason: "content_changed",
    policyDecision: "denied",
    message: `Item ${id} is not what was shown any more. Nothing was sent.`,
    suggestedFix: "Look at it again, then approve what it is now.",
    fixBy: "human",
  });
}
