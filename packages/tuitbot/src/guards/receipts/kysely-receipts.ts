import type { Finished, NotBegun, ReceiptAttempt } from "@toolpact/contract/internal/guards";
import type { Kysely } from "kysely";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import { troubleOf } from "../../storage/storage-error.ts";
import type { Session, Store } from "../../storage/store.ts";
import type { ReceiptRow, StepRow } from "../../storage/tables/receipt-tables.ts";
import { prepared, withCommit } from "../../storage/transaction.ts";
import { claimReceipt } from "./claim.ts";
import { finishReceipt, keepAnswer, saveResult } from "./finish.ts";
import type { AccountReceipts } from "./receipt.ts";
import {
  abandonedReceipts,
  continuedBy,
  findReceipt,
  hasMade,
  openSteps,
  stepsOf,
  tailOf,
  updateStep,
  wasSentBefore,
} from "./receipt-queries.ts";
import { effectOf } from "./x-requests.ts";

export function receiptStorage(session: Session): AccountReceipts {
  const { store, account } = session;
  const { db } = store;
  return {
    account,
    find: (by) => findReceipt(db, account, by),
    stepsOf: (receiptId) => stepsOf(db, receiptId),
    claim: (claim) => claimReceipt(session, claim),
    beginStep: (step, attempt, leaseUntil) => beginStep(store, { ...step, account }, attempt, leaseUntil),
    endStep: (step, undone) => endStep(store, { ...step, account }, undone),
    openSteps: () => openSteps(db, account),
    doubtStep: (step) => doubtStep(db, { ...step, account }),
    finish: (ending) => finishReceipt(session, ending),
    keepAnswer: (receiptId, now) => keepAnswer(db, account, receiptId, now),
    saveResult: (receiptId, result) => saveResult(db, account, receiptId, result),
    takeOver: (receipt, leaseUntil) => takeOver(session, receipt, leaseUntil),
    abandoned: (now) => abandonedReceipts(db, account, now),
    hasMade: (thing) => hasMade(db, account, thing),
    wasSentBefore: (step) => wasSentBefore(db, { ...step, account }),
    continuedBy: (receiptId) => continuedBy(db, account, receiptId),
    troubleOf,
  };
}

async function takeOver(
  { store, account }: Session,
  { id, attempt }: ReceiptAttempt,
  leaseUntil: number,
): Promise<boolean> {
  const taken = await store.db
    .updateTable("receipts")
    .set({ state: "pending", attempt: attempt + 1, lease_until: leaseUntil })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "in", ["pending", "unknown"])
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

/**
 * Ends the hold of a dead process, so its receipt can be resolved. A suspended process notices before it
 * sends. A request that X does not show stays open until X can no longer execute it.
 */
export async function giveUpReceipt(
  { store, account }: Session,
  { id, attempt }: ReceiptAttempt,
  now: number,
): Promise<void> {
  await store.db
    .updateTable("receipts")
    .set({ lease_until: now })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending")
    .where("lease_until", ">", now)
    .execute();
}

/** On disk before its request leaves, while this attempt holds the receipt. */
async function beginStep(
  store: Store,
  step: StepRow,
  attempt: number,
  leaseUntil: number,
): Promise<NotBegun | undefined> {
  const { account, receipt_id: receiptId, continues } = step;
  const writing = await store.durableTransaction(async (db) => {
    // A fresh claim lasts long enough while SQLite writes.
    if (store.engine === "sqlite") {
      const { rows } = await insertStep(db, { ...step, attempt, heldUntil: leaseUntil - JUST_CLAIMED_MS });
      if (rows.length > 0) return undefined;
    }
    // PostgreSQL then keeps others out until the step is written.
    const held = extendLease(db, { account, receiptId, attempt, leaseUntil });
    const inserted = insertStep(db, { ...step, attempt, heldUntil: leaseUntil });
    withCommit(db, held, inserted);
    return { held, inserted };
  });
  if (writing === undefined) return undefined;
  if ((await writing.held).numAffectedRows === 0n) return "taken_over";
  const { rows } = await writing.inserted;
  if (rows.length > 0 || continues === null) return undefined;
  const continuedBy = await tailOf(store.db, account, continues);
  // The other call failed meanwhile.
  return continuedBy === undefined ? "taken_over" : { continuedBy };
}

/** Milliseconds, far shorter than a hold. */
const JUST_CLAIMED_MS = 5_000;

interface Hold {
  readonly account: string;
  readonly receiptId: string;
  readonly attempt: number;
  readonly leaseUntil: number;
}

const extendLease = prepared((db, { account, receiptId, attempt, leaseUntil }: Hold) =>
  db
    .updateTable("receipts")
    .set({ lease_until: leaseUntil })
    .where("account", "=", account)
    .where("id", "=", receiptId)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending"),
);

interface NewStep extends StepRow {
  readonly attempt: number;
  readonly heldUntil: number;
}

/** Nothing, unless this attempt holds the receipt until then. */
const insertStep = prepared((db, { attempt, heldUntil, ...step }: NewStep) =>
  db
    .insertInto("steps")
    // Object.keys loses the keys' types.
    .columns(Object.keys(step) as (keyof StepRow)[])
    .expression(({ selectFrom, val }) =>
      selectFrom("receipts")
        .select(Object.entries(step).map(([column, value]) => val(value).as(column)))
        .where("account", "=", step.account)
        .where("id", "=", step.receipt_id)
        .where("attempt", "=", attempt)
        .where("state", "=", "pending")
        .where("lease_until", ">=", heldUntil),
    )
    .onConflict((conflict) => conflict.columns(["account", "continues"]).doNothing())
    .returning("seq"),
);

/** Releases undone things. False if another step made the same thing. */
export async function endStep(store: Store, step: StepRow, undone: string | undefined): Promise<boolean> {
  try {
    if (undone === undefined) await updateStep(store.db, step);
    else
      await store.transaction(async (db) => {
        await updateStep(db, step);
        await releaseUndone(db, step.account, undone);
      });
    return true;
  } catch (error) {
    if (step.makes !== null && (await isMadeByOther(store.db, step))) return false;
    throw error;
  }
}

/** The index `steps_maker` ensures one maker each. */
async function isMadeByOther(db: Kysely<Database>, step: StepRow): Promise<boolean> {
  const maker = await db
    .selectFrom("steps")
    .select("seq")
    .where("account", "=", step.account)
    .where("makes", "=", step.makes)
    .where(({ or, eb }) => or([eb("receipt_id", "!=", step.receipt_id), eb("seq", "!=", step.seq)]))
    .executeTakeFirst();
  return maker !== undefined;
}

async function doubtStep(db: Kysely<Database>, { account, receipt_id, seq }: StepRow): Promise<void> {
  await db
    .updateTable("steps")
    .set({ state: "unknown", settled_at: null })
    .where("account", "=", account)
    .where("receipt_id", "=", receipt_id)
    .where("seq", "=", seq)
    .execute();
}

/** An undone call is new. */
async function releaseUndone(db: Kysely<Database>, account: string, undone: string): Promise<void> {
  const makers = await db
    .selectFrom("steps")
    .select("receipt_id")
    .where("account", "=", account)
    .where("makes", "=", undone)
    .execute();
  if (makers.length === 0) return;
  await db
    .updateTable("steps")
    .set({ makes: null, continues: null })
    .where("account", "=", account)
    .where("makes", "=", undone)
    .execute();
  await db
    .updateTable("receipts")
    .set({ claim: null, reply_claim: null })
    .where("account", "=", account)
    .where(
      "id",
      "in",
      makers.map(({ receipt_id }) => receipt_id),
    )
    // A thread counts while one of its posts exists.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("steps")
            .select("steps.seq")
            .where("steps.account", "=", account)
            .whereRef("steps.receipt_id", "=", "receipts.id")
            .where("steps.makes", "is not", null),
        ),
      ),
    )
    .execute();
}

/** A user's, for an unanswered request. */
export type Finding =
  | { readonly isOut: false }
  /** With the post's id, other calls can continue from there. */
  | { readonly isOut: true; readonly postId?: string };

/** Sends nothing. Undefined if the outcome is known by now. */
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
