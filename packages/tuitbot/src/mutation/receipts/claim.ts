import { canonicalJson, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database, ReceiptRow } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Store } from "../../storage/store.ts";
import { transact } from "../../storage/transact.ts";
import type { Repeat } from "../../x/operation-table.ts";
import type { CallIdentity } from "./call-identity.ts";
import { findReceipt, stepsOf } from "./find-receipt.ts";
import { type Holds, type Needs, type Refusal, takeHolds } from "./holds.ts";
import type { Step } from "./journal.ts";
import { replayUntil } from "./repeat.ts";
import { type Receipt, type Standing, standingOf } from "./standing.ts";

/** A mutation that every other guard has let through. */
export interface Claim {
  readonly callId: string;
  readonly account: string;
  readonly tool: string;
  /** Arguments as they may be shown: secrets taken out. */
  readonly args: JsonObject;
  readonly identity: CallIdentity;
  readonly repeat: Repeat;
  readonly approvalId?: number | undefined;
  /** The post of somebody else that it answers, to be answered once. */
  readonly replyTo?: string | undefined;
  /** How many requests make it complete. */
  readonly expectedSteps: number;
  readonly needs: Needs;
  readonly leaseMs: number;
  readonly now: number;
}

/** A receipt that this call holds. */
export interface HeldReceipt {
  readonly id: string;
  readonly attempt: number;
  /** What earlier attempts sent. */
  readonly steps: readonly Step[];
}

export type NotClaimed =
  /** The same call was made before. */
  | { readonly kind: "standing"; readonly receipt: Receipt; readonly standing: Standing }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: "key_reused"; readonly receipt: Receipt }
  /** The account has answered that post. */
  | { readonly kind: "second_reply" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/**
 * Writes the receipt of a mutation before anything of it is sent, with what it takes from budget and limits, all in
 * one transaction. Of several calls that are the same, whatever process they come to, one gets it.
 */
export async function claimReceipt(store: Store, claim: Claim): Promise<Outcome<HeldReceipt, NotClaimed>> {
  for (;;) {
    const claimed = await transact(store, (db) => tryClaim(db, claim));
    if (claimed.ok || claimed.failure.kind !== "overtaken")
      return claimed as Outcome<HeldReceipt, NotClaimed>;
  }
}

/** Another call was faster between the look and the leap: look again. */
interface Overtaken {
  readonly kind: "overtaken";
}

async function tryClaim(
  db: Kysely<Database>,
  claim: Claim,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const { account, identity, approvalId, now } = claim;
  const claimDigest = claim.repeat === "free" && !identity.hasKey ? null : identity.claim;
  const receipt = await findReceipt(db, account, { claim: claimDigest ?? undefined, approvalId });
  if (receipt === undefined) return begin(db, claim, claimDigest);
  if (receipt.args_digest !== identity.argsDigest) return failed({ kind: "key_reused", receipt });
  const standing = standingOf(receipt, now, approvalId);
  switch (standing.kind) {
    case "lapsed":
      await db.updateTable("receipts").set({ claim: null }).where("id", "=", receipt.id).execute();
      return begin(db, claim, claimDigest);
    case "partly_done":
      return goOn(db, claim, receipt);
    default:
      return failed({ kind: "standing", receipt, standing });
  }
}

async function begin(
  db: Kysely<Database>,
  claim: Claim,
  claimDigest: string | null,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const { callId, account, tool, args, identity, repeat, approvalId, replyTo, expectedSteps } = claim;
  const { needs, leaseMs, now } = claim;
  if (replyTo !== undefined && (await hasAnswered(db, account, replyTo)))
    return failed({ kind: "second_reply" });
  const holds = await takeHolds(db, account, needs, 1, now);
  if (!holds.ok) return failed({ kind: "refused", refusal: holds.failure });
  const { rows } = await insertReceipt(db, {
    id: callId,
    account,
    claim: claimDigest,
    args_digest: identity.argsDigest,
    approval_claim: approvalId ?? null,
    reply_claim: replyTo ?? null,
    tool,
    args_json: canonicalJson(args),
    state: "pending",
    attempt: 1,
    lease_until: now + leaseMs,
    replay_until: replayUntil(repeat, now, identity),
    expected_steps: expectedSteps,
    created_at: now,
    settled_at: null,
    result_json: null,
    error_json: null,
    holds_json: holdsText(holds.value),
  });
  return rows.length === 0 ? failed({ kind: "overtaken" }) : ok({ id: callId, attempt: 1, steps: [] });
}

const insertReceipt = prepared((db, receipt: ReceiptRow) =>
  db
    .insertInto("receipts")
    .values(receipt)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);

/** Goes on with a receipt of which something was done. Its place under the limits was used when it began. */
async function goOn(
  db: Kysely<Database>,
  { account, needs, leaseMs, now }: Claim,
  receipt: Receipt,
): Promise<Outcome<HeldReceipt, NotClaimed | Overtaken>> {
  const steps = await stepsOf(db, receipt.id);
  const done = steps.filter(({ state }) => state === "confirmed").length;
  const left = { ...needs.expense, requests: needs.expense.requests.slice(done) };
  const fromStep = (steps.at(-1)?.seq ?? 0) + 1;
  const holds = await takeHolds(db, account, { ...needs, expense: left, limits: [] }, fromStep, now);
  if (!holds.ok) return failed({ kind: "refused", refusal: holds.failure });
  const attempt = receipt.attempt + 1;
  const taken = await db
    .updateTable("receipts")
    .set({ state: "pending", attempt, lease_until: now + leaseMs, holds_json: holdsText(holds.value) })
    .where("id", "=", receipt.id)
    .where("attempt", "=", receipt.attempt)
    .where("state", "=", "failed")
    .executeTakeFirst();
  return taken.numUpdatedRows === 0n ? failed({ kind: "overtaken" }) : ok({ id: receipt.id, attempt, steps });
}

/** Whether a receipt of this account stands for an answer to that post. */
export async function hasAnswered(db: Kysely<Database>, account: string, postId: string): Promise<boolean> {
  const answer = await db
    .selectFrom("receipts")
    .select("id")
    .where("account", "=", account)
    .where("reply_claim", "=", postId)
    .executeTakeFirst();
  return answer !== undefined;
}

function holdsText(holds: Holds): string {
  return JSON.stringify(holds);
}
