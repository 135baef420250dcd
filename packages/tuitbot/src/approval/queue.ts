import { setImmediate } from "node:timers/promises";
import { type Failed, type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { canonicalJson, digest, redact } from "@toolpact/contract/internal";
import {
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from "kysely";
import { errors } from "../errors.ts";
import type { ApprovalContext } from "../guards/approval/approval-context.ts";
import type { ApprovalStorage, ShownNow, WaitingCall } from "../guards/approval/ask-for-approval.ts";
import { withoutOptions } from "../guards/receipts/receipt.ts";
import { overAllAccounts } from "../storage/account-check.ts";
import type { Database } from "../storage/database.ts";
import type { Session, Store } from "../storage/store.ts";
import type { ApprovalRow } from "../storage/tables/approval-tables.ts";
import { transact } from "../storage/transaction.ts";
import { cleanText } from "../x/untrusted.ts";
import { approvalDigest, itemFrom, type QueuedMutation } from "./item.ts";
import { decisionByRule } from "./learned-rules.ts";
import type { MayStillDecide } from "./release.ts";

/** `key` signs the digests. */
export function approvalStorage(
  { store, account }: Session,
  key: ApprovalKey,
  mayStillDecide: MayStillDecide,
): ApprovalStorage {
  return {
    async propose(waiting, about) {
      const opened = await key();
      return opened.ok ? enqueue(store, account, opened.value, waiting, about) : opened;
    },
    async showAgain(id, shown) {
      const opened = await key();
      if (opened.ok) await showAgain(store, account, opened.value, id, shown);
    },
    async learned(facts, now) {
      const opened = await key();
      return opened.ok
        ? decisionByRule({ store, account, mayStillDecide }, opened.value, facts, now)
        : undefined;
    },
  };
}

export type ApprovalKey = () => Promise<Outcome<Uint8Array, Failure>>;

async function enqueue(
  store: Store,
  account: string,
  key: Uint8Array,
  waiting: WaitingCall,
  about: () => Promise<Outcome<ApprovalContext, Failure>>,
): Promise<Outcome<QueuedMutation, Failure>> {
  const { claim, args, now } = waiting;
  await expireOld(store.db, account, now);
  const rejected = waiting.isByPerson ? undefined : await rejectedBefore(store.db, account, waiting);
  if (rejected !== undefined) return saidNo(rejected);
  const same = await store.db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("claim", "=", claim)
    .executeTakeFirst();
  if (same === undefined) {
    const context = await about();
    if (!context.ok) return context;
    const inserted = await insertItem(store, account, key, { ...waiting, context: context.value });
    // Another call was faster, and has its own context.
    return inserted === undefined ? enqueue(store, account, key, waiting, async () => context) : ok(inserted);
  }
  const item = itemFrom(same);
  return canonicalJson(withoutOptions(item.args)) === canonicalJson(withoutOptions(args))
    ? ok(item)
    : keyTaken(item);
}

/** Until that item would have expired. */
async function rejectedBefore(
  db: Kysely<Database>,
  account: string,
  { tool, args, now }: WaitingCall,
): Promise<QueuedMutation | undefined> {
  const row = await db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("content", "=", contentOf(tool, args))
    .where(sql<SqlBool>`status = 'rejected'`)
    // Without those that were sent and are not at X.
    .where("error_json", "is", null)
    .where("expires_at", ">", now)
    .orderBy("expires_at", "desc")
    .executeTakeFirst();
  return row && itemFrom(row);
}

export function contentOf(tool: string, args: JsonObject): string {
  return digest([tool, withoutOptions(args)]);
}

function saidNo({ id, tool, note }: QueuedMutation): Failed<Failure<"policy_denied_user_rule">> {
  const why = note === undefined ? "without a reason" : `and says: ${JSON.stringify(cleanText(note))}`;
  return errors.fail(
    "policy_denied_user_rule",
    `The person has rejected this ${tool} call as item ${id}, ${why}. It was not queued again.`,
    {
      reason: "rejected_by_person",
      policyDecision: "denied",
      suggestedFix: "Leave it, change what it says, or talk to the person.",
      fixBy: "agent",
      details: { approval_queue_id: id, person_says: note ?? null },
    },
  );
}

/** Undefined if the same call waits already. */
function insertItem(
  store: Store,
  account: string,
  key: Uint8Array,
  waiting: WaitingCall,
): Promise<QueuedMutation | undefined> {
  return store.transaction((db) => insertItemIn(db, account, key, waiting));
}

export async function insertItemIn(
  db: Kysely<Database>,
  account: string,
  key: Uint8Array,
  waiting: WaitingCall,
): Promise<QueuedMutation | undefined> {
  const { claim, tool, args, media, schedule, context, now } = waiting;
  const inserted = await db
    .insertInto("approvals")
    .values({
      account,
      claim,
      tool,
      args_json: canonicalJson(args),
      content: contentOf(tool, args),
      media_json: JSON.stringify(media),
      schedule_json: schedule === undefined ? null : canonicalJson(schedule),
      context_json: context === undefined ? null : JSON.stringify(context),
      digest: "",
      status: "pending",
      rule_id: waiting.ruleId,
      reason: waiting.reason,
      agent_note: waiting.agentNote ?? null,
      people_needed: waiting.peopleNeeded ?? 1,
      estimated_micros: waiting.estimatedMicros,
      correlation_id: waiting.correlationId,
      principal: waiting.principal ?? null,
      facts_json: waiting.facts === undefined ? null : canonicalJson(waiting.facts),
      created_at: now,
      expires_at: waiting.expiresAt,
      decided_at: null,
      decided_by: null,
      note: null,
      receipt_id: null,
      result_json: null,
      error_json: null,
    })
    .onConflict((conflict) => conflict.columns(["account", "claim"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted === undefined) return undefined;
  const { id } = inserted;
  // Only the database can assign the id in the digest.
  const row = await db
    .updateTable("approvals")
    .set({
      digest: approvalDigest(key, {
        id,
        account,
        tool,
        args,
        media,
        schedule,
        context,
        facts: waiting.facts,
        peopleNeeded: waiting.peopleNeeded,
      }),
    })
    .where("account", "=", account)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return itemFrom(row);
}

/** For an item that waits or is about to be sent. Earlier votes no longer count. */
export function showAgain(
  store: Store,
  account: string,
  key: Uint8Array,
  id: number,
  { context, estimatedMicros }: ShownNow,
): Promise<Outcome<QueuedMutation, Failure>> {
  return transact(store, async (db): Promise<Outcome<QueuedMutation, Failure>> => {
    const found = await findItem(db, account, id);
    if (!found.ok) return found;
    const row = await db
      .updateTable("approvals")
      .set({
        ...(context !== undefined && {
          context_json: JSON.stringify(context),
          digest: approvalDigest(key, { ...found.value, account, context }),
        }),
        ...(estimatedMicros !== undefined && { estimated_micros: estimatedMicros }),
        votes_json: null,
      })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "in", ["pending", "releasing"])
      .where("digest", "=", found.value.digest)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? alreadyDecided(found.value) : ok(itemFrom(row));
  });
}

/** Oldest first, after this id. */
export async function pendingItems(
  db: Kysely<Database>,
  account: string,
  now: number,
  { limit, after = 0 }: { readonly limit?: number; readonly after?: number } = {},
): Promise<readonly QueuedMutation[]> {
  await expireOld(db, account, now);
  const rows = await db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("status", "=", "pending")
    .where("id", ">", after)
    .orderBy("id")
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(itemFrom);
}

/** Newest first, with those approved for later. */
export async function decidedItems(
  db: Kysely<Database>,
  account: string,
  most: number,
): Promise<readonly QueuedMutation[]> {
  const latest = (status: RawBuilder<SqlBool>) =>
    db
      .selectFrom("approvals")
      .selectAll()
      .where("account", "=", account)
      .where(status)
      // Always true here, but PostgreSQL sorts nulls first.
      .where("decided_at", "is not", null)
      .orderBy("decided_at", "desc")
      .orderBy("id", "desc")
      .limit(most)
      .execute();
  const [ended, scheduled] = await Promise.all([latest(isDecided), latest(isApprovedForLater)]);
  // A series represents its posts.
  const calls = new Set(ended.map(({ correlation_id }) => correlation_id));
  const others = scheduled.filter(({ correlation_id: call }) => !calls.has(call) && calls.add(call));
  return [...ended, ...others]
    .sort((one, other) => (other.decided_at ?? 0) - (one.decided_at ?? 0) || other.id - one.id)
    .slice(0, most)
    .map(itemFrom);
}

/** As in the index, because SQLite ignores parameters when it chooses one. */
const isDecided: RawBuilder<SqlBool> = sql<SqlBool>`status in ('executed', 'failed', 'rejected', 'expired')`;
const isApprovedForLater: RawBuilder<SqlBool> = sql<SqlBool>`status = 'approved'`;

export async function pendingCount(db: Kysely<Database>, account: string, now: number): Promise<number> {
  const { items } = (await db
    .selectFrom("approval_counts")
    .select("items")
    .where("account", "=", account)
    .where("status", "=", "pending")
    .executeTakeFirst()) ?? { items: 0 };
  // Overdue, and not expired yet.
  const { late } = await db
    .selectFrom("approvals")
    .select(({ fn }) => fn.countAll<number>().as("late"))
    .where("account", "=", account)
    .where(mayExpire)
    .where("status", "=", "pending")
    .where("expires_at", "<=", now)
    .executeTakeFirstOrThrow();
  return items - Number(late);
}

/** In all accounts. */
export async function releasingCount(db: Kysely<Database>): Promise<number> {
  const { count } = await overAllAccounts(db, "left undone")
    .selectFrom("approval_counts")
    .select(({ fn }) => fn.sum<number | null>("items").as("count"))
    .where("status", "=", "releasing")
    .executeTakeFirstOrThrow();
  return Number(count ?? 0);
}

export async function findItem(
  db: Kysely<Database>,
  account: string,
  id: number,
): Promise<Outcome<QueuedMutation, Failure<"not_found">>> {
  const row = await db
    .selectFrom("approvals")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? noSuchItem(id) : ok(itemFrom(row));
}

export async function findPendingItem(
  db: Kysely<Database>,
  account: string,
  claim: string,
): Promise<number | undefined> {
  const item = await db
    .selectFrom("approvals")
    .select("id")
    .where("account", "=", account)
    .where("claim", "=", claim)
    .executeTakeFirst();
  return item?.id;
}

/** Stored after sending, so without secrets. */
export function maskedJson(args: JsonObject): string {
  return canonicalJson(redact(args));
}

/** For decided calls. */
export async function forgetSecrets(
  db: Kysely<Database>,
  account: string,
  decided: readonly Pick<Selectable<ApprovalRow>, "id" | "args_json" | "schedule_json">[],
): Promise<void> {
  // Both were objects.
  const masked = (json: string) => maskedJson(JSON.parse(json) as JsonObject);
  for (const { id, ...stored } of decided) {
    const args_json = masked(stored.args_json);
    const schedule_json = stored.schedule_json === null ? null : masked(stored.schedule_json);
    if (args_json === stored.args_json && schedule_json === stored.schedule_json) continue;
    await db
      .updateTable("approvals")
      .set({ args_json, schedule_json })
      .where("account", "=", account)
      .where("id", "=", id)
      .execute();
  }
}

/** An overdue item does not wait, whatever its status. */
export function isUndecided(now: number) {
  return ({ eb }: Pick<ExpressionBuilder<Database, "approvals">, "eb">) =>
    eb.or([
      eb("status", "=", "releasing"),
      eb.and([eb("status", "=", "pending"), eb("expires_at", ">", now)]),
    ]);
}

/** In batches, to let other work run. */
export async function expireOld(db: Kysely<Database>, account: string, now: number): Promise<void> {
  for (;;) {
    const late = db
      .selectFrom("approvals")
      .select("id")
      .where("account", "=", account)
      .where(mayExpire)
      .where("expires_at", "<=", now)
      .limit(MAX_AT_ONCE);
    const expired = await db
      .updateTable("approvals")
      .set({ status: "expired", claim: null, decided_at: now })
      .where("account", "=", account)
      .where("id", "in", late)
      // Somebody may have decided meanwhile.
      .where(mayExpire)
      .returning(["id", "args_json", "schedule_json"])
      .execute();
    await forgetSecrets(db, account, expired);
    if (expired.length < MAX_AT_ONCE) return;
    await setImmediate();
  }
}

const mayExpire: RawBuilder<SqlBool> = sql<SqlBool>`status in ('pending', 'approved', 'failed')`;
const MAX_AT_ONCE = 500;

function keyTaken({ id, tool }: QueuedMutation): Failed<Failure<"validation_error">> {
  return errors.fail(
    "validation_error",
    `This idempotency_key belongs to item ${id}, a ${tool} call with other arguments that waits for approval. Nothing was sent or queued.`,
    {
      reason: "idempotency_key_reused",
      suggestedFix: "Use a new key for each new call.",
      fixBy: "agent",
      details: { approval_queue_id: id },
    },
  );
}

function noSuchItem(id: number): Failed<Failure<"not_found">> {
  return errors.fail("not_found", `There is no approval item ${id}.`, {
    suggestedFix: "Call list_pending_approvals for the waiting items.",
    fixBy: "agent",
  });
}

export function alreadyDecided({
  id,
  status,
  decidedBy,
}: QueuedMutation): Failed<Failure<"validation_error">> {
  const by = decidedBy === undefined ? "" : ` (${decidedBy})`;
  return errors.fail("validation_error", `Item ${id} is ${WORDS[status]}${by}.`, {
    reason: "already_decided",
    fixBy: "agent",
    details: { id, status },
  });
}

const WORDS: Readonly<Record<QueuedMutation["status"], string>> = {
  pending: "waiting",
  approved: "approved, and goes out at its time",
  releasing: "approved and being carried out",
  executed: "approved and carried out",
  failed: "approved, and could not be carried out",
  rejected: "rejected",
  expired: "expired: make the call again",
};
