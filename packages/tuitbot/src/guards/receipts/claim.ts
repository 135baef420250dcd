import { failed, type Outcome, ok } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import {
  type HeldReceipt,
  type LedgerHold,
  lastToReset,
  type Repeated,
} from "@toolpact/contract/internal/guards";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import type { AuditRow } from "../../storage/tables/audit-tables.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import { prepared, transact } from "../../storage/transaction.ts";
import { reserve } from "../budget/ledger.ts";
import { type LimitHold, takePlaces } from "../policy/limits.ts";
import {
  earlierReceipt,
  type MutationClaim,
  type MutationRefusal,
  type Needs,
  replayUntil,
} from "./receipt.ts";
import { findReceipt, hasAnswered, stepsOf } from "./receipt-queries.ts";

type NotClaimed = Repeated<ReceiptRow> | MutationRefusal;

/** In one transaction. */
export async function claimReceipt(
  { store, account }: Session,
  claim: MutationClaim,
): Promise<Outcome<HeldReceipt, NotClaimed>> {
  // Most calls are new, so look the receipt up only on a conflict.
  let claimed = await transact(store, (db) => begin(db, account, claim, claimDigestOf(claim)));
  while (!claimed.ok) {
    claimed = await transact(store, (db) => tryClaim(db, account, claim));
    if (!claimed.ok && claimed.failure.kind !== "overtaken") return failed(claimed.failure);
  }
  return ok(claimed.value);
}

/** Another call was faster, so read again. */
interface Overtaken {
  readonly kind: "overtaken";
}

async function tryClaim(
  db: Kysely<Database>,
  account: string,
  claim: MutationClaim,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const { identity, approvalId, now } = claim;
  const claimDigest = claimDigestOf(claim);
  const receipt = await findReceipt(db, account, { claim: claimDigest ?? undefined, approvalId });
  if (receipt === undefined) return begin(db, account, claim, claimDigest);
  const earlier = earlierReceipt(receipt, identity, now, approvalId);
  if (earlier === undefined) {
    await db
      .updateTable("receipts")
      .set({ claim: null })
      .where("account", "=", account)
      .where("id", "=", receipt.id)
      .execute();
    return begin(db, account, claim, claimDigest);
  }
  return earlier.kind === "partly_done"
    ? continueReceipt(db, account, claim, receipt)
    : failed({ kind: "repeat", earlier });
}

/** Null if the call may be repeated freely. */
function claimDigestOf({ repeat, identity }: MutationClaim): string | null {
  return repeat === "free" && !identity.hasKey ? null : identity.claim;
}

async function begin(
  db: Kysely<Database>,
  account: string,
  claim: MutationClaim,
  claimDigest: string | null,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const { callId, tool, args, identity, repeat, approvalId, answers, expectedSteps } = claim;
  const { needs, leaseMs, now } = claim;
  if (answers !== undefined && (await hasAnswered(db, account, answers)))
    return failed({ kind: "second_reply" });
  const taken = await takeHolds(db, account, needs, 1, now);
  if (!taken.ok) return taken;
  const argsJson = canonicalJson(args);
  const inserting = insertReceipt(db, {
    id: callId,
    account,
    claim: claimDigest,
    args_digest: identity.argsDigest,
    approval_claim: approvalId ?? null,
    reply_claim: answers ?? null,
    tool,
    args_json: argsJson,
    state: "pending",
    attempt: 1,
    lease_until: now + leaseMs,
    replay_until: replayUntil(repeat, now, { ...identity, isApproved: approvalId !== undefined }),
    expected_steps: expectedSteps,
    created_at: now,
    settled_at: null,
    result_json: null,
    error_json: null,
    holds_json: JSON.stringify(taken.value),
  });
  // An overtaken call's entry is rolled back.
  const [{ rows }] = await Promise.all([inserting, audit(db, account, claim, callId, argsJson)]);
  if (rows.length === 0) return failed({ kind: "overtaken" });
  return ok({ id: callId, attempt: 1, steps: [] });
}

/** With the receipt. An entry answered at its deadline is reopened. */
async function audit(
  db: Kysely<Database>,
  account: string,
  claim: MutationClaim,
  receiptId: string,
  argsJson = canonicalJson(claim.args),
): Promise<void> {
  await insertOpen(db, {
    correlation_id: claim.callId,
    account,
    at: claim.startedAt,
    tool: claim.tool,
    effect: claim.effect,
    transport: claim.transport,
    client: claim.client ?? null,
    args_json: argsJson,
    decision: claim.decision,
    rule_id: claim.ruleId ?? null,
    status: "pending",
    code: null,
    message: null,
    receipt_id: receiptId,
    approval_id: claim.approvalId ?? null,
    result_json: null,
    rollback_json: null,
    elapsed_ms: null,
  });
}

const insertOpen = prepared((db, entry: AuditRow) => {
  const { correlation_id, at, ...open } = entry;
  return db
    .insertInto("audit")
    .values(entry)
    .onConflict((conflict) => conflict.column("correlation_id").doUpdateSet(open));
});

const insertReceipt = prepared((db, receipt: ReceiptRow) =>
  db
    .insertInto("receipts")
    .values(receipt)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);

/** Its place as a call is taken; its remaining posts need new ones. */
async function continueReceipt(
  db: Kysely<Database>,
  account: string,
  claim: MutationClaim,
  receipt: ReceiptRow,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const { needs, leaseMs, now } = claim;
  const steps = await stepsOf(db, receipt.id);
  const done = steps.filter(({ state }) => state === "confirmed").length;
  const left = { ...needs.expense, requests: needs.expense.requests.slice(done) };
  const fromStep = (steps.at(-1)?.seq ?? 0) + 1;
  const limits = needs.limits.flatMap(({ posts, ...limit }) =>
    posts === undefined || posts <= done ? [] : [{ ...limit, posts: posts - done }],
  );
  const took = await takeHolds(db, account, { ...needs, expense: left, limits }, fromStep, now);
  if (!took.ok) return took;
  const attempt = receipt.attempt + 1;
  const taken = await db
    .updateTable("receipts")
    .set({ state: "pending", attempt, lease_until: now + leaseMs, holds_json: JSON.stringify(took.value) })
    .where("account", "=", account)
    .where("id", "=", receipt.id)
    .where("attempt", "=", receipt.attempt)
    .where("state", "=", "failed")
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) return failed({ kind: "overtaken" });
  await audit(db, account, claim, receipt.id);
  return ok({ id: receipt.id, attempt, steps });
}

/** Stored with the receipt to give them back. */
export interface Holds {
  readonly money: readonly LedgerHold[];
  readonly places: readonly LimitHold[];
  /** The first step they pay for. */
  readonly fromStep: number;
}

/** All or nothing, with the receipt. */
async function takeHolds(
  db: Kysely<Database>,
  account: string,
  { expense, caps, limits }: Needs,
  fromStep: number,
  now: number,
): Promise<Outcome<Holds, MutationRefusal>> {
  const reserving = reserve(db, account, { ...expense, now }, caps);
  // Callers are read first. Every call locks money before places.
  if (caps.caller !== undefined || expense.approvalId !== undefined) await reserving;
  // A refusal rolls back the other.
  const [money, places] = await Promise.all([reserving, takePlaces(db, account, limits, now)]);
  if (!money.ok) {
    const overBudget = { kind: "budget", ...money.failure } as const;
    const overLimit = places.ok ? undefined : ({ kind: "limit", ...places.failure } as const);
    return failed(lastToReset([overBudget, overLimit]) ?? overBudget);
  }
  if (!places.ok) return failed({ kind: "limit", ...places.failure });
  return ok({ money: money.value, places: places.value, fromStep });
}
