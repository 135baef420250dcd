import { type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { decisionDigest } from "@toolpact/contract/internal/guards";
import { microsOf } from "@toolpact/contract/internal/money";
import { identityOf } from "../guards/receipts/receipt.ts";
import { transact } from "../storage/transaction.ts";
import { contentChanged } from "./edit.ts";
import { itemFrom, type QueuedMutation } from "./item.ts";
import { alreadyDecided, findItem, forgetSecrets, insertItemIn } from "./queue.ts";
import type { ReleaseContext } from "./release.ts";

interface ApprovedPost {
  readonly schedule_id: number;
  readonly at: string;
  readonly args: JsonObject;
  readonly media: readonly JsonObject[];
}

/** Each post gets an approved item, bound to its content and time. Posts changed or unscheduled since get none. */
export async function releaseSeries(
  releasing: ReleaseContext,
  item: QueuedMutation,
  { digest, by }: { readonly digest: string; readonly by: string },
): Promise<Outcome<QueuedMutation, Failure>> {
  const { store, account, key, now, mediaOf } = releasing;
  const { id, tool, schedule, ruleId, reason, estimatedUsd, correlationId } = item;
  const posts = schedule?.series?.posts ?? [];
  const seen = new Map(schedule?.media.map(({ file_path }, index) => [file_path, item.media[index]]));
  const parts: (ApprovedPost & { readonly files: readonly string[] })[] = [];
  for (const { schedule_id, at, args, media } of posts) {
    const files = await mediaOf({ ...item, args, schedule: { at, media } });
    if (!files.ok) return files;
    // A file may have been replaced since the comparison.
    if (media.some(({ file_path }, index) => seen.get(file_path) !== files.value[index]))
      return contentChanged(id);
    parts.push({ schedule_id, at, args, media, files: files.value });
  }
  return transact(store, async (db): Promise<Outcome<QueuedMutation, Failure>> => {
    const row = await db
      .updateTable("approvals")
      .set({ status: "executed", claim: null, decided_at: now(), decided_by: by })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "=", "pending")
      .where("digest", "=", digest)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      const current = await findItem(db, account, id);
      return current.ok ? alreadyDecided(current.value) : current;
    }
    for (const { schedule_id, at, args, media, files } of parts) {
      const waiting = await db
        .selectFrom("scheduled_posts")
        .select("draft_id")
        .where("account", "=", account)
        .where("id", "=", schedule_id)
        .where("approval_id", "=", id)
        .where("status", "=", "scheduled")
        .executeTakeFirst();
      if (waiting === undefined) continue;
      const own = await insertItemIn(db, account, key, {
        claim: identityOf(account, tool, args).claim,
        tool,
        args,
        media: files,
        schedule: { at, media },
        ruleId,
        reason,
        estimatedMicros: microsOf(estimatedUsd / parts.length),
        correlationId,
        principal: item.principal,
        isByPerson: true,
        now: item.createdAt,
        expiresAt: Date.parse(at) + DAY_MS,
      });
      if (own === undefined) throw new Error("A post of a series has the key of another call.");
      const decision = decisionDigest(key, { id: own.id, scope: account, digest: own.digest }, by);
      await db
        .updateTable("approvals")
        .set({ status: "approved", decided_at: now(), decided_by: by, decision })
        .where("account", "=", account)
        .where("id", "=", own.id)
        .execute();
      await db
        .updateTable("scheduled_posts")
        .set({ approval_id: own.id })
        .where("account", "=", account)
        .where("id", "=", schedule_id)
        .execute();
      await db
        .updateTable("drafts")
        .set({ approval_id: own.id })
        .where("account", "=", account)
        .where("id", "=", waiting.draft_id)
        .where("approval_id", "=", id)
        .execute();
    }
    // Each post has its own item now.
    await forgetSecrets(db, account, [row]);
    return ok(itemFrom(row));
  });
}
