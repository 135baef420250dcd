import {
  type BudgetCaps,
  type CallerCaps,
  type Expense,
  hasCaps,
  type LedgerHold,
  lastToReset,
  type OverBudget,
  overCaps,
  type Periods,
  periodsOf,
  type ReadPrice,
  type Spent,
} from "@toolpact/contract/internal/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Insertable, type Kysely, type SqlBool, sql } from "kysely";
import { agentName } from "../../agents/agent.ts";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import { dayNumber } from "../../storage/days.ts";
import type { Session } from "../../storage/store.ts";
import type { BilledResourceRow, LedgerRow } from "../../storage/tables/spend-tables.ts";
import { type Prepared, prepared, transact } from "../../storage/transaction.ts";
import type { AccountLedger } from "./bill.ts";

export function budgetLedger({ store, account }: Session, ownsApp: boolean): AccountLedger {
  /** When earlier charges were deleted. */
  let tidied = "";
  const charged = chargedResources();
  return {
    appOwnerId: ownsApp ? account : undefined,
    spent: (now) => spentBy(store.db, account, now),
    spentBy: (caller, now) => spentByCaller(store.db, caller, now),
    reserve: (expense, caps) => transact(store, (db) => reserve(db, account, expense, caps)),
    async settleRead(hold, price) {
      const { day } = periodsOf(hold.at);
      const isTidy = tidied === day;
      const hasFailed = price === undefined;
      // A rejected request is free.
      const known = price === undefined ? 0 : charged.priceIfKnown(day, price);
      if (known === hold.micros && isTidy) {
        await settleEntry(store.db, { id: hold.id, account, spentMicros: known, failed: hasFailed ? 1 : 0 });
        return known;
      }
      const spent = await store.transaction(async (db) => {
        const [spentMicros] = await Promise.all([
          known ?? chargeRead(db, account, day, price),
          isTidy ? undefined : forgetCharged(db, account, day),
        ]);
        await settleHolds(db, account, [{ hold, spentMicros, hasFailed }]);
        return spentMicros;
      });
      tidied = day;
      if (price !== undefined) charged.add(day, price);
      return spent;
    },
  };
}

/** As `AccountLedger.reserve`, in a transaction. */
export async function reserve(
  db: Kysely<Database>,
  account: string,
  expense: Expense,
  caps: BudgetCaps,
): Promise<Outcome<readonly LedgerHold[], OverBudget>> {
  const { callId, tool, requests, now } = expense;
  const neededMicros = requests.reduce((sum, { micros }) => sum + micros, 0);
  const periods = periodsOf(now);
  if (caps.perCall !== undefined && neededMicros > Math.max(0, caps.perCall))
    return failed({ cap: "call", capMicros: caps.perCall, neededMicros, resetsAt: undefined });
  const ofAgent =
    neededMicros > 0 && caps.caller ? await overOwnCaps(db, caps.caller, neededMicros, now) : undefined;
  // Waiting here would keep other statements out of this batch.
  const by = expense.approvalId === undefined ? expense.by : await callerOf(db, account, expense);
  // Without the money, the entries are rolled back.
  const [ofAccount, holds] = await Promise.all([
    neededMicros > 0 ? spend(db, account, periods, neededMicros, caps) : undefined,
    Promise.all(
      requests.map(async ({ operation, micros }): Promise<LedgerHold> => {
        const { rows } = await insertEntry(db, {
          account,
          call_id: callId,
          tool,
          operation,
          at: now,
          estimated_micros: micros,
          settled_micros: null,
          failed: 0,
          caller: by,
        });
        return { id: rows[0]?.id ?? 0, micros, at: now };
      }),
    ),
  ]);
  const over = lastToReset([ofAgent, ofAccount]);
  return over === undefined ? ok(holds) : failed(over);
}

/** Locks the agent's row, so parallel calls see each other's reservations. */
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

/** In all accounts. */
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

/** For an approved call. */
async function callerOf(
  db: Kysely<Database>,
  account: string,
  { by, approvalId }: Pick<Expense, "by" | "approvalId">,
): Promise<string> {
  const asked = await db
    .selectFrom("approvals")
    .leftJoin("audit", "audit.correlation_id", "approvals.correlation_id")
    .select(["approvals.principal", "audit.client"])
    .where("approvals.account", "=", account)
    .where("approvals.id", "=", approvalId ?? 0)
    .executeTakeFirst();
  return asked?.principal ?? asked?.client ?? by;
}

const insertEntry = prepared((db, entry: Omit<Insertable<LedgerRow>, "id">) =>
  db.insertInto("ledger").values(entry).returning("id"),
);

export interface Settlement {
  readonly hold: LedgerHold;
  readonly spentMicros: Micros;
  readonly hasFailed: boolean;
}

/** Sums first, then entries, in the order of `reserve`, to avoid deadlocks. */
export async function settleHolds(
  db: Kysely<Database>,
  account: string,
  settlements: readonly Settlement[],
): Promise<void> {
  const corrections = settlements.map(({ hold, spentMicros }) =>
    correctSpent(db, account, hold, spentMicros - hold.micros),
  );
  const entries = settlements.map(({ hold, spentMicros, hasFailed }) =>
    settleEntry(db, { id: hold.id, account, spentMicros, failed: hasFailed ? 1 : 0 }),
  );
  // In parallel: a rejection before its await would end the process.
  const [, settled] = await Promise.all([Promise.all(corrections), Promise.all(entries)]);
  for (const [index, { hold, spentMicros }] of settlements.entries()) {
    // Settled before.
    if (settled[index]?.numAffectedRows !== 0n) continue;
    await correctSpent(db, account, hold, hold.micros - spentMicros);
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
  // The row exists, or is so old that it was deleted.
  await addToSpent(db, { account, day, month, micros, first: Math.max(0, micros) });
}

interface Correction {
  readonly account: string;
  readonly day: string;
  readonly month: string;
  readonly micros: Micros;
  readonly first: Micros;
}

/** Locks the day, then the month. An update would lock in any order. */
const addToSpent = prepared((db, { account, day, month, micros, first }: Correction) =>
  db
    .insertInto("spend")
    .values([
      { account, period: day, micros: first },
      { account, period: month, micros: first },
    ])
    .onConflict((conflict) =>
      conflict
        .columns(["account", "period"])
        .doUpdateSet((eb) => ({ micros: eb("spend.micros", "+", micros) })),
    ),
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

/** In one statement, so nothing happens in between. The transaction undoes additions. */
async function spend(
  db: Kysely<Database>,
  account: string,
  { day, month, dayEnds, monthEnds }: Periods,
  micros: Micros,
  { perDay = Number.MAX_SAFE_INTEGER, perMonth = Number.MAX_SAFE_INTEGER }: BudgetCaps,
): Promise<OverBudget | undefined> {
  const [ofDay, ofMonth] = [
    { cap: "day", capMicros: perDay },
    { cap: "month", capMicros: perMonth },
  ] as const;
  if (micros > perDay) return { ...ofDay, neededMicros: micros, resetsAt: undefined };
  if (micros > perMonth) return { ...ofMonth, neededMicros: micros, resetsAt: undefined };
  const { rows } = await addSpent(db, {
    account,
    day,
    month,
    micros,
    dayRoom: perDay - micros,
    monthRoom: perMonth - micros,
  });
  if (rows.length === 2) return undefined;
  return rows.some(({ period }) => period === month)
    ? { ...ofDay, neededMicros: micros, resetsAt: dayEnds }
    : { ...ofMonth, neededMicros: micros, resetsAt: monthEnds };
}

interface PeriodsSpent {
  readonly account: string;
  readonly day: string;
  readonly month: string;
  readonly micros: Micros;
  /** Already spent, at most. */
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
    .returning(["period", "micros"]),
);

/** Once per resource and UTC day. The settling transaction lets only one of parallel reads pay. */
async function chargeRead(
  db: Kysely<Database>,
  account: string,
  day: string,
  price: ReadPrice | undefined,
): Promise<Micros> {
  const { resources = [], micros = 0 } = price?.() ?? {};
  if (resources.length === 0) return micros;
  // Sorted to avoid deadlocks.
  const sorted = Object.fromEntries(resources.toSorted().map((resource, index) => [index, resource]));
  const { rows } = await insertCharged(resources.length)(db, { ...sorted, account, day });
  const isNew = new Set(rows.map(({ resource }) => resource));
  return price?.((resource) => !isNew.has(resource))?.micros ?? 0;
}

function insertCharged(count: number) {
  let insert = insertsCharged.get(count);
  if (insert === undefined) {
    insert = prepared((db, { account, day, ...resources }: Charged) =>
      db
        .insertInto("billed_resources")
        .values(Object.values(resources).map((resource) => ({ account, day, resource })))
        .onConflict((conflict) => conflict.doNothing())
        .returning("resource"),
    );
    insertsCharged.set(count, insert);
  }
  return insert;
}

interface Charged {
  readonly account: string;
  readonly day: string;
  readonly [index: number]: string;
}

const insertsCharged = new Map<number, Prepared<Charged, Pick<BilledResourceRow, "resource">>>();

/** Charged today, by this process. */
function chargedResources() {
  let today = "";
  let known = new Set<string>();
  return {
    /** Undefined if the database must be asked. */
    priceIfKnown(day: string, price: ReadPrice): Micros | undefined {
      const { resources = [], micros = 0 } = price() ?? {};
      if (resources.length === 0) return micros;
      if (day !== today || !resources.every((resource) => known.has(resource))) return undefined;
      return price((resource) => known.has(resource))?.micros ?? 0;
    },
    add(day: string, price: ReadPrice): void {
      if (day < today) return;
      if (day > today || known.size > MAX_KNOWN) known = new Set();
      today = day;
      for (const resource of price()?.resources ?? []) known.add(resource);
    },
  };
}

const MAX_KNOWN = 10_000;

/** It may be charged again. */
async function forgetCharged(db: Kysely<Database>, account: string, day: string): Promise<void> {
  await db.deleteFrom("billed_resources").where("account", "=", account).where("day", "<", day).execute();
}
