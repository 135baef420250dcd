import {
  type BudgetCaps,
  type CallerCaps,
  type Expense,
  hasCaps,
  type LedgerHold,
  type OverBudget,
  overCaps,
  periodsOf,
  type ReadPrice,
  type Spent,
} from "@toolpact/contract/guards";
import type { Micros } from "@toolpact/contract/guards/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Insertable, type Kysely, type SqlBool, sql } from "kysely";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database, LedgerRow } from "../../storage/database.ts";
import { dayNumber } from "../../storage/days.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Session } from "../../storage/store.ts";
import { transact } from "../../storage/transact.ts";
import { agentName } from "../agents/agent.ts";
import type { BudgetLedger } from "./bill.ts";

/** The ledger of an account in the database. */
export function budgetLedger({ store, account }: Session, ownsApp: boolean): BudgetLedger {
  /** The day on which this process last deleted what was charged on earlier ones. */
  let tidied = "";
  return {
    appOwnerId: ownsApp ? account : undefined,
    spent: (now) => spentBy(store.db, account, now),
    spentBy: (caller, now) => spentByCaller(store.db, caller, now),
    reserve: (expense, caps) => transact(store, (db) => reserve(db, account, expense, caps)),
    async settleRead(hold, price) {
      const { day } = periodsOf(hold.at);
      const spent = await store.transaction(async (db) => {
        if (tidied !== day) await forgetCharged(db, account, day);
        // What was refused costs nothing.
        const spent = price === undefined ? 0 : await chargeRead(db, account, day, price);
        await settleHolds(db, account, [{ hold, spentMicros: spent, hasFailed: price === undefined }]);
        return spent;
      });
      tidied = day;
      return spent;
    },
  };
}

/** As `BudgetLedger.reserve`, inside a transaction. */
export async function reserve(
  db: Kysely<Database>,
  account: string,
  expense: Expense,
  caps: BudgetCaps,
): Promise<Outcome<readonly LedgerHold[], OverBudget>> {
  const { callId, tool, requests, now } = expense;
  const neededMicros = requests.reduce((sum, { micros }) => sum + micros, 0);
  const { day, month, dayEnds, monthEnds } = periodsOf(now);
  if (neededMicros > 0) {
    const ofAgent = caps.caller && (await overOwnCaps(db, caps.caller, neededMicros, now));
    if (ofAgent !== undefined) return failed(ofAgent);
    if (caps.perCall !== undefined && neededMicros > caps.perCall)
      return failed({ cap: "call", capMicros: caps.perCall, neededMicros, resetsAt: undefined });
    const full = await spend(db, account, { day, month }, neededMicros, caps);
    if (full === "day")
      return failed({ cap: "day", capMicros: caps.perDay ?? 0, neededMicros, resetsAt: dayEnds });
    if (full === "month")
      return failed({ cap: "month", capMicros: caps.perMonth ?? 0, neededMicros, resetsAt: monthEnds });
  }
  const caller = await callerOf(db, account, expense);
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
      caller,
    });
    holds.push(...rows.map(({ id }) => ({ id, micros, at: now })));
  }
  return ok(holds);
}

/**
 * Which cap of the agent is in the way. Its row is locked for the rest of the transaction, so that of its calls that
 * come together, for whichever accounts, each sees what the others have reserved.
 */
async function overOwnCaps(
  db: Kysely<Database>,
  agent: CallerCaps,
  neededMicros: Micros,
  now: number,
): Promise<OverBudget | undefined> {
  if (!hasCaps(agent)) return undefined;
  await db
    .updateTable("agents")
    .set(({ ref }) => ({ used_at: ref("used_at") }))
    .where("name", "=", agentName(agent.id) ?? "")
    .execute();
  return overCaps(agent, await spentByCaller(db, agent.id, now), neededMicros, now);
}

/** What a caller has spent and reserved today and this month, for all accounts. */
async function spentByCaller(db: Kysely<Database>, caller: string, now: number): Promise<Spent> {
  const today = dayNumber(now);
  const rows = await overAllAccounts(db, "spending of an agent")
    .selectFrom("caller_days")
    .select(["day", "micros"])
    .where("caller", "=", caller)
    .where("day", ">=", dayNumber(periodsOf(now).monthBegins))
    .where("day", "<=", today)
    .execute();
  const sum = (of: typeof rows) => of.reduce((total, { micros }) => total + Number(micros), 0);
  return { day: sum(rows.filter(({ day }) => Number(day) === today)), month: sum(rows) };
}

/** Of a call that a person has approved, whoever asked for it. */
async function callerOf(
  db: Kysely<Database>,
  account: string,
  { by, approvalId }: Pick<Expense, "by" | "approvalId">,
): Promise<string> {
  if (approvalId === undefined) return by;
  const asked = await db
    .selectFrom("approvals")
    .leftJoin("audit", "audit.correlation_id", "approvals.correlation_id")
    .select(["approvals.principal", "audit.client"])
    .where("approvals.account", "=", account)
    .where("approvals.id", "=", approvalId)
    .executeTakeFirst();
  return asked?.principal ?? asked?.client ?? by;
}

const insertEntry = prepared((db, entry: Omit<Insertable<LedgerRow>, "id">) =>
  db.insertInto("ledger").values(entry).returning("id"),
);

/** What a reserved price has become. */
export interface Settlement {
  readonly hold: LedgerHold;
  readonly spentMicros: Micros;
  readonly hasFailed: boolean;
}

/**
 * Replaces reserved prices by what was really spent. First what the account has spent and then the entries, in the
 * order of `reserve`: the other way round, two calls would wait for each other.
 */
export async function settleHolds(
  db: Kysely<Database>,
  account: string,
  settlements: readonly Settlement[],
): Promise<void> {
  for (const { hold, spentMicros } of settlements)
    await correctSpent(db, account, hold, spentMicros - hold.micros);
  for (const { hold, spentMicros, hasFailed } of settlements) {
    const settled = await settleEntry(db, { id: hold.id, account, spentMicros, failed: hasFailed ? 1 : 0 });
    // It was settled before.
    if (settled.numAffectedRows === 0n) await correctSpent(db, account, hold, hold.micros - spentMicros);
  }
}

async function correctSpent(
  db: Kysely<Database>,
  account: string,
  { at }: LedgerHold,
  micros: Micros,
): Promise<void> {
  if (micros === 0) return;
  const { day, month } = periodsOf(at);
  // One after the other, in the order of `reserve`: one statement would lock them in any order.
  await addToPeriod(db, { account, micros, period: day });
  await addToPeriod(db, { account, micros, period: month });
}

interface Correction {
  readonly account: string;
  readonly micros: Micros;
  readonly period: string;
}

const addToPeriod = prepared((db, { account, micros, period }: Correction) =>
  db
    .updateTable("spend")
    .set((eb) => ({ micros: eb("micros", "+", micros) }))
    .where("account", "=", account)
    .where("period", "=", period),
);

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

/** What an account has spent and reserved today and this month. */
export async function spentBy(db: Kysely<Database>, account: string, now: number): Promise<Spent> {
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

/**
 * Adds to what was spent today and this month, and says which cap is in the way. One statement, so that nothing can come
 * between reading and writing; what it has added is undone with the transaction.
 */
async function spend(
  db: Kysely<Database>,
  account: string,
  { day, month }: { readonly day: string; readonly month: string },
  micros: Micros,
  { perDay = Number.MAX_SAFE_INTEGER, perMonth = Number.MAX_SAFE_INTEGER }: BudgetCaps,
): Promise<"day" | "month" | undefined> {
  if (micros > perDay) return "day";
  if (micros > perMonth) return "month";
  const { rows } = await addSpent(db, {
    account,
    day,
    month,
    micros,
    dayRoom: perDay - micros,
    monthRoom: perMonth - micros,
  });
  if (rows.length === 2) return undefined;
  return rows.some(({ period }) => period === day) ? "month" : "day";
}

interface PeriodsSpent {
  readonly account: string;
  readonly day: string;
  readonly month: string;
  readonly micros: Micros;
  /** Most that may have been spent before. */
  readonly dayRoom: Micros;
  readonly monthRoom: Micros;
}

const addSpent = prepared((db, { account, day, month, micros, dayRoom, monthRoom }: PeriodsSpent) =>
  db
    .insertInto("spend")
    .values([
      { account, period: day, micros },
      { account, period: month, micros },
    ])
    .onConflict((conflict) =>
      conflict
        .columns(["account", "period"])
        .doUpdateSet((eb) => ({ micros: eb("spend.micros", "+", micros) }))
        .where(
          sql<SqlBool>`spend.micros <= case when spend.period = ${day} then cast(${dayRoom} as bigint)
            else cast(${monthRoom} as bigint) end`,
        ),
    )
    .returning("period"),
);

/**
 * What a read costs, with every resource written down that is charged: once a day by UTC. Inside the transaction that
 * settles the read, so that of several reads at once one pays.
 */
async function chargeRead(
  db: Kysely<Database>,
  account: string,
  day: string,
  price: ReadPrice,
): Promise<Micros> {
  const { resources = [], micros = 0 } = price() ?? {};
  if (resources.length === 0) return micros;
  const added = await db
    .insertInto("billed_resources")
    // Sorted, so that two transactions that write the same rows do not wait for each other.
    .values(resources.toSorted().map((resource) => ({ account, day, resource })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("resource")
    .execute();
  const isNew = new Set(added.map(({ resource }) => resource));
  return price((resource) => !isNew.has(resource))?.micros ?? 0;
}

/** What was charged on an earlier day may be charged again. */
async function forgetCharged(db: Kysely<Database>, account: string, day: string): Promise<void> {
  await db.deleteFrom("billed_resources").where("account", "=", account).where("day", "<", day).execute();
}
