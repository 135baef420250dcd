import { DAY_MS } from "@toolpact/contract/internal";
import { usdOf } from "@toolpact/contract/internal/money";
import { type Kysely, type SqlBool, sql } from "kysely";
import type { Database } from "../../storage/database.ts";
import { dayNumber, dayOf } from "../../storage/days.ts";

export interface Usage {
  readonly summary: Readonly<Record<`${"cost" | "calls"}_${"today" | "7d" | "30d" | "all_time"}`, number>>;
  readonly daily: readonly { readonly date: string; readonly calls: number; readonly cost: number }[];
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
  /** Empty before callers were recorded. */
  readonly callers: readonly {
    readonly caller: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
}

/** From daily sums. `days` is the length of the lists. */
export async function usageOf(
  db: Kysely<Database>,
  account: string,
  days: number,
  now: number,
): Promise<Usage> {
  const today = dayNumber(now);
  const sums = await db
    .selectFrom("usage_days")
    .select([
      ...sumSince("today", today),
      ...sumSince("week", today - 6),
      ...sumSince("month", today - 29),
      ...sumSince("ever", 0),
    ])
    .where("account", "=", account)
    .where(isTotal)
    .executeTakeFirstOrThrow();
  const cost = (micros: number | null) => usdOf(Number(micros ?? 0));
  const from = today - (days - 1);
  return {
    summary: {
      cost_today: cost(sums.today_micros),
      cost_7d: cost(sums.week_micros),
      cost_30d: cost(sums.month_micros),
      cost_all_time: cost(sums.ever_micros),
      calls_today: Number(sums.today_calls ?? 0),
      calls_7d: Number(sums.week_calls ?? 0),
      calls_30d: Number(sums.month_calls ?? 0),
      calls_all_time: Number(sums.ever_calls ?? 0),
    },
    daily: await daily(db, account, from),
    endpoints: await endpoints(db, account, from),
    callers: await callers(db, account, from),
  };
}

/** As in the index. */
const isTotal = sql<SqlBool>`operation = ''`;

/** PostgreSQL returns sums as text. */
function sumSince<Name extends string>(name: Name, day: number) {
  return [
    sql<number | null>`sum(case when day >= ${day} then calls else 0 end)`.as(`${name}_calls` as const),
    sql<number | null>`sum(case when day >= ${day} then micros else 0 end)`.as(`${name}_micros` as const),
  ] as const;
}

async function daily(db: Kysely<Database>, account: string, from: number): Promise<Usage["daily"]> {
  const rows = await db
    .selectFrom("usage_days")
    .select(["day", "calls", "micros"])
    .where("account", "=", account)
    .where(isTotal)
    .where("day", ">=", from)
    .orderBy("day")
    .execute();
  return rows.map(({ day, calls, micros }) => ({
    date: dayOf(day * DAY_MS),
    calls,
    cost: usdOf(micros),
  }));
}

async function endpoints(db: Kysely<Database>, account: string, from: number): Promise<Usage["endpoints"]> {
  const rows = await db
    .selectFrom("usage_days")
    .select(({ fn }) => [
      "operation",
      fn.sum<number>("calls").as("calls"),
      fn.sum<number>("micros").as("micros"),
      fn.sum<number>("failed").as("failed"),
    ])
    .where("account", "=", account)
    .where("day", ">=", from)
    .where("operation", "!=", "")
    .groupBy("operation")
    .orderBy("micros", "desc")
    .orderBy("operation")
    .execute();
  return rows.map(({ operation, calls, micros, failed }) => ({
    endpoint: operation,
    calls: Number(calls),
    cost: usdOf(Number(micros)),
    error_count: Number(failed),
  }));
}

async function callers(db: Kysely<Database>, account: string, from: number): Promise<Usage["callers"]> {
  const rows = await db
    .selectFrom("caller_days")
    .select(({ fn }) => [
      "caller",
      fn.sum<number>("calls").as("calls"),
      fn.sum<number>("micros").as("micros"),
      fn.sum<number>("failed").as("failed"),
    ])
    .where("account", "=", account)
    .where("day", ">=", from)
    .groupBy("caller")
    .orderBy("micros", "desc")
    .orderBy("caller")
    .execute();
  return rows.map(({ caller, calls, micros, failed }) => ({
    caller,
    calls: Number(calls),
    cost: usdOf(Number(micros)),
    error_count: Number(failed),
  }));
}

/** Or known to have no answer. */
export interface SettledRequest {
  readonly at: number;
  readonly hasFailed: boolean;
}

/** The latest request of any process. */
export async function lastSettledRequest(
  db: Kysely<Database>,
  account: string,
): Promise<SettledRequest | undefined> {
  const row = await db
    .selectFrom("ledger")
    .select(["at", "failed"])
    .where("account", "=", account)
    .where("settled_micros", "is not", null)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { at: Number(row.at), hasFailed: Number(row.failed) !== 0 };
}
