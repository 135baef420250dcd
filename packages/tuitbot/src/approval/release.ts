import { type Failure, failed, type Json, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Answer, AnyErrorSet } from "@toolpact/contract/internal";
import {
  decidersIn,
  decisionDigest,
  isAgent,
  isSigned,
  sameDigest,
} from "@toolpact/contract/internal/guards";
import { microsOf } from "@toolpact/contract/internal/money";
import type { Kysely, Selectable } from "kysely";
import { errors } from "../errors.ts";
import { boundIn } from "../guards/approval/approval-context.ts";
import { asQueued, type QueuedAnswer } from "../guards/approval/ask-for-approval.ts";
import type { Release } from "../guards/call/call-context.ts";
import { CHANGED_SINCE_APPROVAL } from "../guards/mutation/policy.ts";
import { identityOf } from "../guards/receipts/receipt.ts";
import { findReceipt } from "../guards/receipts/receipt-queries.ts";
import { STOPPED } from "../guards/stop/stop.ts";
import type { Database } from "../storage/database.ts";
import type { Store } from "../storage/store.ts";
import type { ApprovalRow } from "../storage/tables/approval-tables.ts";
import { contentChanged } from "./edit.ts";
import { approvalDigest, itemFrom, type QueuedMutation } from "./item.ts";
import { needsPasskey, notSigned } from "./needs-passkey.ts";
import { alreadyDecided, expireOld, findItem, maskedJson } from "./queue.ts";
import { releaseSeries } from "./release-series.ts";
import { addVote } from "./vote.ts";

export interface ReleaseContext {
  readonly store: Store;
  readonly account: string;
  readonly key: Uint8Array;
  readonly now: () => number;
  /** Then another process continues a release. */
  readonly leaseMs: number;
  /** SHA-256 of the current media. */
  readonly mediaOf: (item: QueuedMutation) => Promise<Outcome<readonly string[], Failure>>;
  readonly execute: Execute;
  readonly mayStillDecide: MayStillDecide;
}

/** They may have lost their role since. */
export type MayStillDecide = (db: Kysely<Database>, by: string) => Promise<boolean>;

/** With all guards, for exactly this approved call. */
export type Execute = (tool: string, args: JsonObject, release: Release) => Promise<CallResult>;

/**
 * Executes an approved item once, even if several approve it; a scheduled one at its time. One for several
 * people waits for the last. `digest` is of the shown content. Accounts with passkeys need `passkey`, on
 * every surface.
 */
export async function releaseItem(
  releasing: ReleaseContext,
  id: number,
  {
    digest,
    by,
    passkey,
  }: { readonly digest: string; readonly by: string; readonly passkey?: string | undefined },
): Promise<Outcome<QueuedMutation, Failure>> {
  const { store, account, key, now } = releasing;
  const own = passkey === undefined ? by : `${by}, with a passkey`;
  let approval = { digest, by: own };
  await expireOld(store.db, account, now());
  const found = await findItem(store.db, account, id);
  if (!found.ok) return found;
  // Masked secrets change its content.
  if (OVER.has(found.value.status)) return alreadyDecided(found.value);
  const sound = await isUnchanged(releasing, found.value, approval.digest);
  if (!sound.ok) return sound;
  if (passkey === undefined && (await needsPasskey(store.db, account))) return notSigned();

  if (found.value.peopleNeeded > 1) {
    const voted = await addVote(releasing, found.value, approval);
    if (!voted.ok) return voted;
    const { item, votes } = voted.value;
    const deciders = decidersIn(votes, item.peopleNeeded);
    // It waits for the others.
    if (deciders === undefined) return ok(item);
    approval = { digest, by: deciders };
  }
  if (found.value.schedule?.series !== undefined) return releaseSeries(releasing, found.value, approval);
  const isScheduled = found.value.schedule !== undefined;
  const row = await store.db
    .updateTable("approvals")
    .set({
      status: isScheduled ? "approved" : "releasing",
      decided_at: now(),
      decided_by: approval.by,
      decision: decisionDigest(key, { id, scope: account, digest }, approval.by),
    })
    .where("account", "=", account)
    .where("id", "=", id)
    // A call that failed at its time is queued as a new item.
    .where("status", "in", isScheduled ? ["pending"] : ["pending", "failed"])
    .where("digest", "=", approval.digest)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return isScheduled ? ok(itemFrom(row)) : carryOut(releasing, itemFrom(row));
  const current = await findItem(store.db, account, id);
  return current.ok ? alreadyDecided(current.value) : current;
}

const OVER: ReadonlySet<QueuedMutation["status"]> = new Set(["executed", "rejected", "expired"]);

/** Content, files and time are unchanged. */
export async function approvedItem(
  releasing: ReleaseContext,
  id: number,
): Promise<Outcome<QueuedMutation, Failure>> {
  const { store, account } = releasing;
  const row = await store.db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row?.status !== "approved")
    return row === undefined ? contentChanged(id) : alreadyDecided(itemFrom(row));
  const sound = await isApproved(releasing, row);
  return sound.ok ? ok(itemFrom(row)) : sound;
}

/** If this process has their tools. */
export async function resumeReleases(
  releasing: ReleaseContext,
  hasTool: (name: string) => boolean = () => true,
): Promise<readonly QueuedMutation[]> {
  const { store, account, now, leaseMs } = releasing;
  const waiting = await store.db
    .selectFrom("approvals")
    .select(["id", "tool"])
    .where("account", "=", account)
    .where("status", "=", "releasing")
    .where("decided_at", "<=", now() - leaseMs)
    .execute();
  const ids = waiting.filter(({ tool }) => hasTool(tool)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const left = await store.db
    .updateTable("approvals")
    .set({ decided_at: now() })
    .where("account", "=", account)
    .where("id", "in", ids)
    .where("status", "=", "releasing")
    .where("decided_at", "<=", now() - leaseMs)
    .returningAll()
    .execute();
  const ended: QueuedMutation[] = [];
  for (const row of left) {
    const sound = await isApproved(releasing, row);
    if (!sound.ok) {
      await putBack(releasing, row.id, sound.failure);
      continue;
    }
    const item = await carryOut(releasing, itemFrom(row));
    if (item.ok) ended.push(item.value);
  }
  return ended;
}

/** And unchanged since. */
async function isApproved(
  releasing: ReleaseContext,
  row: Selectable<ApprovalRow>,
): Promise<Outcome<"unchanged", Failure>> {
  const { key, account } = releasing;
  const { id, digest, decided_by: by, decision } = row;
  return isSigned(key, { id, scope: account, digest }, { by, decision })
    ? isUnchanged(releasing, itemFrom(row), digest)
    : contentChanged(id);
}

async function putBack({ store, account, now }: ReleaseContext, id: number, failure: Failure): Promise<void> {
  await store.db
    .updateTable("approvals")
    .set({
      status: "failed",
      claim: null,
      decision: null,
      decided_at: now(),
      error_json: JSON.stringify(failure),
    })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("status", "=", "releasing")
    .execute();
}

/** Compared with `seen` and the stored digest. */
export async function isUnchanged(
  { key, account, mediaOf }: ReleaseContext,
  item: QueuedMutation,
  seen: string,
): Promise<Outcome<"unchanged", Failure>> {
  const media = await mediaOf(item);
  if (!media.ok) return media;
  const actual = approvalDigest(key, { ...item, account, media: media.value });
  return sameDigest(actual, item.digest) && sameDigest(actual, seen)
    ? ok("unchanged")
    : contentChanged(item.id);
}

async function carryOut(
  releasing: ReleaseContext,
  item: QueuedMutation,
): Promise<Outcome<QueuedMutation, Failure>> {
  const { store, account, execute, now } = releasing;
  const { argsDigest } = identityOf(account, item.tool, item.args);
  const isByAgent = isAgent(item.decidedBy);
  const release = {
    approvalId: item.id,
    tool: item.tool,
    argsDigest,
    isByAgent,
    askedBy: item.principal,
    shown: { context: item.context && boundIn(item.context), micros: microsOf(item.estimatedUsd) },
  };
  const result = await execute(item.tool, item.args, release);
  // It waits again only if its arguments still mean the same.
  const executed = result.ok === null ? { ...contentChanged(item.id), isRetryable: false } : result;
  const receipt = await findReceipt(store.db, account, { approvalId: item.id });
  const isOpen = receipt?.state === "pending" || receipt?.state === "unknown";
  const isBack = !executed.ok && receipt === undefined && waitsAgain(executed);
  const status = executed.ok ? "executed" : isOpen ? "releasing" : isBack ? "pending" : "failed";
  const row = await store.db
    .updateTable("approvals")
    .set({
      status,
      // The same call may be queued again.
      ...((status === "executed" || status === "failed") && { claim: null }),
      ...(status === "executed" && { args_json: maskedJson(item.args) }),
      ...(status !== "releasing" && { decision: null }),
      decided_at: now(),
      receipt_id: receipt?.id ?? null,
      result_json: executed.ok ? JSON.stringify(executed.result) : null,
      error_json: executed.ok ? null : JSON.stringify(executed.failure),
    })
    .where("account", "=", account)
    .where("id", "=", item.id)
    .where("status", "=", "releasing")
    .returningAll()
    .executeTakeFirst();
  if (!executed.ok) return failed(executed.failure);
  return ok(row === undefined ? item : itemFrom(row));
}

/** The same call may succeed later. */
function waitsAgain({ failure, isRetryable }: Extract<CallResult, { ok: false }>): boolean {
  return (
    isRetryable ||
    failure.code === "policy_denied_rate_limited" ||
    failure.reason === STOPPED ||
    failure.reason === CHANGED_SINCE_APPROVAL
  );
}

/** `null`: it waits for a person. */
export type CallResult =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: null; readonly queued: QueuedAnswer }
  | { readonly ok: false; readonly failure: Failure; readonly isRetryable: boolean };

export function callResultFrom(answer: Answer): CallResult {
  if (answer.kind !== "rendered") {
    const message = answer.kind === "asks" ? "It asks for something first." : answer.message;
    return { ok: false, failure: { code: "invalid_input", message }, isRetryable: false };
  }
  const { outcome } = answer;
  if (outcome.ok) {
    const queued = asQueued(outcome.value);
    return queued === undefined ? { ok: true, result: outcome.value } : { ok: null, queued };
  }
  const { failure } = outcome;
  return { ok: false, failure, isRetryable: rows[failure.code]?.retryable ?? false };
}

const { rows }: AnyErrorSet = errors;
