import type { Json } from "@toolpact/contract";
import { DAY_MS, redact } from "@toolpact/contract/internal";
import type { Finished } from "@toolpact/contract/internal/guards";
import type { Kysely } from "kysely";
import { type SqlBool, sql } from "kysely";
import { recordPublications } from "../../publications/record-publications.ts";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import type { ReceiptRow, StepRow } from "../../storage/tables/receipt-tables.ts";
import { prepared, withCommit } from "../../storage/transaction.ts";
import { settleHolds as settleMoney } from "../budget/ledger.ts";
import { giveBack } from "../policy/limits.ts";
import type { Holds } from "./claim.ts";
import type { CallEnd, MutationEnding } from "./receipt.ts";
import { stepsOf, updateStep } from "./receipt-queries.ts";

/** In one transaction. */
export async function finishReceipt(
  { store, account }: Session,
  ending: MutationEnding,
): Promise<Finished | undefined> {
  return store.transaction(async (db) => {
    const settled = await settleReceiptRow(db, account, ending);
    if (settled === undefined) return undefined;
    const { receipt, steps, state } = settled;
    const stepsDone = steps.filter(isDone).length;
    // Money stays reserved while the outcome is unknown.
    await Promise.all([
      recordPublications(db, receipt, steps),
      state === "unknown" ? undefined : settleRest(db, receipt, steps, state, ending),
    ]);
    return { state, stepsDone };
  });
}

interface SettledRow {
  readonly receipt: Pick<ReceiptRow, "id" | "account" | "reply_claim" | "expected_steps" | "holds_json">;
  readonly steps: readonly StepRow[];
  readonly state: ReceiptRow["state"];
}

/** Undefined if another call took over. */
async function settleReceiptRow(
  db: Kysely<Database>,
  account: string,
  ending: MutationEnding,
): Promise<SettledRow | undefined> {
  const { receiptId, attempt, result, failure, now } = ending;
  const step = ending.step && { ...ending.step, account };
  // As for most calls, the only request succeeded: no lookup needed.
  if (step?.seq === 1 && result !== undefined) {
    const [, { rows }] = await Promise.all([
      updateStep(db, step),
      confirmReceipt(db, {
        id: receiptId,
        account,
        attempt,
        lease_until: now,
        settled_at: now,
        result_json: JSON.stringify(result),
      }),
    ]);
    return rows[0] && { receipt: rows[0], steps: [step], state: "confirmed" };
  }
  const [, found, steps] = await Promise.all([
    step === undefined ? undefined : updateStep(db, step),
    selectReceipt(db, { receiptId }),
    stepsOf(db, receiptId),
  ]);
  const [receipt] = found.rows;
  if (receipt === undefined) return undefined;
  const state = result === undefined ? stateFrom(steps, receipt.expected_steps) : "confirmed";
  const isNothingDone = state === "failed" && !steps.some(isDone);
  const written = await updateReceipt(db, {
    id: receiptId,
    account: receipt.account,
    attempt,
    state,
    lease_until: ending.lookAgainAt ?? now,
    settled_at: state === "unknown" ? null : now,
    result_json: result === undefined ? null : JSON.stringify(result),
    error_json: failure === undefined ? null : JSON.stringify(failure),
    // Nothing was done, so the same call is new.
    claim: isNothingDone ? null : receipt.claim,
    approval_claim: isNothingDone ? null : receipt.approval_claim,
    reply_claim: isNothingDone ? null : receipt.reply_claim,
  });
  if (written.numAffectedRows === 0n) return undefined;
  // The caller was asked to repeat the call.
  if (attempt > 1) await keepAnswer(db, account, receiptId, now);
  return { receipt, steps, state };
}

export async function keepAnswer(
  db: Kysely<Database>,
  account: string,
  receiptId: string,
  now: number,
): Promise<void> {
  await db
    .updateTable("receipts")
    .set({ replay_until: now + DAY_MS })
    .where("account", "=", account)
    .where("id", "=", receiptId)
    .where("replay_until", "<", now + DAY_MS)
    .execute();
}

function isDone({ state }: StepRow): boolean {
  return state === "confirmed";
}

function settleRest(
  db: Kysely<Database>,
  { id: receiptId, account, holds_json }: SettledRow["receipt"],
  steps: readonly StepRow[],
  state: ReceiptRow["state"],
  { result, entry }: MutationEnding,
): ReturnType<typeof settleHolds> {
  const settling = settleHolds(db, account, JSON.parse(holds_json) as Holds, steps);
  const status = state === "confirmed" ? "success" : "failure";
  const result_json = result === undefined ? null : JSON.stringify(redact({ result }).result);
  const settled = { account, receiptId, status, result_json } as const;
  withCommit(
    db,
    settling,
    entry === undefined ? settleEntry(db, settled) : endEntry(db, { ...settled, ...entry }),
  );
  return settling;
}

/** X charges for executed requests, which have used their places. */
async function settleHolds(
  db: Kysely<Database>,
  account: string,
  { money, places, fromStep }: Holds,
  steps: readonly { readonly seq: number; readonly state: string }[],
): Promise<void> {
  const done = steps.filter(({ seq, state }) => seq >= fromStep && state === "confirmed").length;
  const settlements = money.map((hold, index) => {
    const isDone = index < done;
    return { hold, spentMicros: isDone ? hold.micros : 0, hasFailed: !isDone };
  });
  await Promise.all([settleMoney(db, account, settlements), giveBack(db, account, places, done)]);
}

interface SettledEntry {
  readonly account: string;
  readonly receiptId: string;
  readonly status: "success" | "failure";
  readonly result_json: string | null;
}

/** With its receipt. */
const settleEntry = prepared((db, { account, receiptId, status, result_json }: SettledEntry) =>
  db
    .updateTable("audit")
    .set({ status, result_json })
    .where("account", "=", account)
    .where("receipt_id", "=", receiptId)
    // As in the index.
    .where(sql<SqlBool>`status = 'pending'`),
);

/** Nothing is left to add to the entry. */
const endEntry = prepared((db, { account, receiptId, ...end }: SettledEntry & CallEnd) =>
  db
    .updateTable("audit")
    // A deadline may have been recorded.
    .set({ ...end, code: null, message: null })
    .where("account", "=", account)
    .where("receipt_id", "=", receiptId)
    .where(sql<SqlBool>`status = 'pending'`),
);

const selectReceipt = prepared((db, the: { readonly receiptId: string }) =>
  overAllAccounts(db, "receipt")
    .selectFrom("receipts")
    .select(["id", "account", "claim", "approval_claim", "reply_claim"])
    .select(["expected_steps", "holds_json"])
    .where("id", "=", the.receiptId),
);

type SettledReceipt = Pick<
  ReceiptRow,
  | "id"
  | "account"
  | "attempt"
  | "state"
  | "lease_until"
  | "settled_at"
  | "result_json"
  | "error_json"
  | "claim"
  | "approval_claim"
  | "reply_claim"
>;

const updateReceipt = prepared((db, { id, account, attempt, ...settled }: SettledReceipt) =>
  db
    .updateTable("receipts")
    .set(settled)
    .where("account", "=", account)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending"),
);

type ConfirmedReceipt = Pick<
  ReceiptRow,
  "id" | "account" | "attempt" | "lease_until" | "settled_at" | "result_json"
>;

const confirmReceipt = prepared((db, { id, account, attempt, ...settled }: ConfirmedReceipt) =>
  db
    .updateTable("receipts")
    .set({ ...settled, state: "confirmed", error_json: null })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending")
    .returning(["id", "account", "reply_claim", "expected_steps", "holds_json"]),
);

/** Without the tool's answer. */
function stateFrom(steps: readonly Pick<StepRow, "state">[], expected: number): ReceiptRow["state"] {
  if (steps.some(({ state }) => state === "pending" || state === "unknown")) return "unknown";
  const done = steps.filter(({ state }) => state === "confirmed").length;
  return done > 0 && done >= expected ? "confirmed" : "failed";
}

export async function saveResult(
  db: Kysely<Database>,
  account: string,
  receiptId: string,
  result: Json,
): Promise<void> {
  await db
    .updateTable("receipts")
    .set({ result_json: JSON.stringify(result) })
    .where("account", "=", account)
    .where("id", "=", receiptId)
    .where("state", "=", "confirmed")
    .where("result_json", "is", null)
    .execute();
}
