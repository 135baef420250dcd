import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { contentChanged } from "./edit.ts";
import { itemFrom, type QueuedMutation } from "./item.ts";
import { alreadyDecided, findItem, forgetSecrets } from "./queue.ts";

export interface Rejection {
  /** A rejection of other content does not count. */
  readonly digest: string;
  readonly by: string;
  /** In the person's words, for the agent. */
  readonly note?: string | undefined;
  /** Set if the person approved the text for later. */
  readonly draftId?: number | undefined;
  readonly now: number;
}

/** On any surface. */
export async function rejectItem(
  db: Kysely<Database>,
  account: string,
  id: number,
  { digest, by, note, draftId, now }: Rejection,
): Promise<Outcome<QueuedMutation, Failure<"not_found" | "validation_error" | "policy_denied_hard_rule">>> {
  const row = await db
    .updateTable("approvals")
    .set({
      status: "rejected",
      claim: null,
      decided_at: now,
      decided_by: by,
      note: note ?? null,
      ...(draftId !== undefined && { result_json: JSON.stringify({ draft_id: draftId }) }),
    })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("status", "in", UNDECIDED)
    .where("digest", "=", digest)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    await forgetSecrets(db, account, [row]);
    return ok(itemFrom(row));
  }
  const found = await findItem(db, account, id);
  if (!found.ok) return found;
  return UNDECIDED.some((status) => status === found.value.status)
    ? contentChanged(id)
    : alreadyDecided(found.value);
}

const UNDECIDED = ["pending", "approved", "failed"] as const;
