import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { Insertable, Kysely } from "kysely";
import type { Database, LedgerRow } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Micros } from "./money.ts";
import { periodsOf } from "./periods.ts";

/** Most that may be spent; undefined for no limit. */
export interface BudgetCaps {
  readonly perCall?: Micros | undefined;
  readonly perDay?: Micros | undefined;
  readonly perMonth?: Micros | undefined;
}

/** Requests that are about to be paid for. */
export interface Expense {
  readonly account: string;
  readonly callId: string;
  readonly tool: string;
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  readonly now: number;
}

/** Money put aside for one request. */
export interface LedgerHold {
  readonly id: number;
  readonly micros: Micros;
  /** When it was put aside: it counts in the day and month of then. */
  readonly at: number;
}

export interface OverBudget {
  readonly cap: "call" | "day" | "month";
  readonly capMicros: Micros;
  readonly neededMicros: Micros;
  /** When the cap opens again; undefined where waiting does not help. */
  readonly resetsAt: number | undefined;
}

/**
 * Puts the money for requests aside, in the ledger and under the caps, or says which cap is in the way. Inside a
 * transaction, so that calls that come together can never spend more than a cap.
 */
export async function putAside(
  db: Kysely<Database>,
  { account, callId, tool, requests, now }: Expense,
  caps: BudgetCaps,
): Promise<Outcome<readonly LedgerHold[], OverBudget>> {
  const neededMicros = requests.reduce((sum, { micros }) => sum + micros, 0);
  const { day, month, dayEnds, monthEnds } = periodsOf(now);
  if (neededMicros > 0) {
    if (caps.perCall !== undefined && neededMicros > caps.perCall)
      return failed({ cap: "call", capMicros: caps.perCall, neededMicros, resetsAt: undefined });
    if (!(await spend(db, account, day, neededMicros, caps.perDay)))
      return failed({ cap: "day", capMicros: caps.perDay ?? 0, neededMicros, resetsAt: dayEnds });
    if (!(await spend(db, account, month, neededMicros, caps.perMonth)))
      return failed({ cap: "month", capMicros: caps.perMonth ?? 0, neededMicros, resetsAt: monthEnds });
  }
  const holds: LedgerHold[] = [];
  for (const { operation, micros } of requests) {
    const { rows } = await insertEntry(db, {
      account,
      call_id: callId,
      tool,
      operation,
      at: now,
      estimated_micros: micros,
      settled_micros: null,
      failed: 0,
    });
    holds.push(...rows.map(({ id }) => ({ id, micros, at: now })));
  }
  return ok(holds);
}

const insertEntry = prepared((db, entry: Omit<Insertable<LedgerRow>, "id">) =>
  db.insertInto("ledger").values(entry).returning("id"),
);

/** Replaces an estimate by what was really spent. */
export async function settleHold(
  db: Kysely<Database>,
  account: string,
  { id, micros, at }: LedgerHold,
  spentMicros: Micros,
  hasFailed: boolean,
): Promise<void> {
  const settled = await settleEntry(db, { id, account, spentMicros, failed: hasFailed ? 1 : 0 });
  if (settled.numAffectedRows === 0n || spentMicros === micros) return;
  const { day, month } = periodsOf(at);
  for (const period of [day, month]) {
    await db
      .updateTable("spend")
      .set((eb) => ({ micros: eb("micros", "+", spentMicros - micros) }))
      .where("account", "=", account)
      .where("period", "=", period)
      .execute();
  }
}

interface SettledEntry {
  readonly id: number;
  readonly account: string;
  readonly spentMicros: Micros;
  readonly failed: number;
}

const settleEntry = prepared((db, the: SettledEntry) =>
  db
    .updateTable("ledger")
    .set({ settled_micros: the.spentMicros, failed: the.failed })
    .where("id", "=", the.id)
    .where("account", "=", the.account)
    .where("settled_micros", "is", null),
);

/** What an account has spent and put aside today and this month. */
export async function spentBy(
  db: Kysely<Database>,
  account: string,
  now: number,
): Promise<{ readonly day: Micros; readonly month: Micros }> {
  const { day, month } = periodsOf(now);
  const { rows } = await selectSpent(db, { account, day, month });
  const of = (period: string) => rows.find((row) => row.period === period)?.micros ?? 0;
  return { day: of(day), month: of(month) };
}

const selectSpent = prepared(
  (db, the: { readonly account: string; readonly day: string; readonly month: string }) =>
    db
      .selectFrom("spend")
      .select(["period", "micros"])
      .where("account", "=", the.account)
      .where("period", "in", [the.day, the.month]),
);

/** One statement, so that nothing can come between the look and the leap. */
async function spend(
  db: Kysely<Database>,
  account: string,
  period: string,
  micros: Micros,
  cap: Micros | undefined,
): Promise<boolean> {
  if (cap !== undefined && micros > cap) return false;
  const room = (cap ?? Number.MAX_SAFE_INTEGER) - micros;
  const { rows } = await addSpent(db, { account, period, micros, room });
  return rows.length > 0;
}

interface Spent {
  readonly account: string;
  readonly period: string;
  readonly micros: Micros;
  /** Most that may have been spent before. */
  readonly room: Micros;
}

const addSpent = prepared((db, { account, period, micros, room }: Spent) =>
  db
    .insertInto("spend")
    .values({ account, period, micros })
    .onConflict((conflict) =>
      conflict
        .columns(["account", "period"])
        .doUpdateSet((eb) => ({ micros: eb("spend.micros", "+", micros) }))
        .where("spend.micros", "<=", room),
    )
    .returning("micros"),
);
