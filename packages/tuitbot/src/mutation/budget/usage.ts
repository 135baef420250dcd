import { type Kysely, sql } from "kysely";
import type { Database } from "../../storage/database.ts";
import { usdOf } from "./bill.ts";

export interface Usage {
  readonly summary: Readonly<Record<`${"cost" | "calls"}_${"today" | "7d" | "30d" | "all_time"}`, number>>;
  readonly daily: readonly { readonly date: string; readonly calls: number; readonly cost: number }[];
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
}

/** What was asked of X and what it cost, from the ledger. `days` is how far back the lists go. */
export async function usageOf(
  db: Kysely<Database>,
  account: string,
  days: number,
  now: number,
): Promise<Usage> {
  const today = startOfDay(now);
  const cost = sql<number>`coalesce(sum(coalesce(settled_micros, estimated_micros)), 0)`;
  const since = async (from: number) => {
    const row = await db
      .selectFrom("ledger")
      .select(({ fn }) => [fn.countAll<number>().as("calls"), cost.as("micros")])
      .where("account", "=", account)
      .where("at", ">=", from)
      .executeTakeFirstOrThrow();
    return { calls: Number(row.calls), cost: usdOf(Number(row.micros)) };
  };
  const [day, week, month, ever] = await Promise.all([
    since(today),
    since(today - 6 * DAY),
    since(today - 29 * DAY),
    since(0),
  ]);
  const from = today - (days - 1) * DAY;
  return {
    summary: {
      cost_today: day.cost,
      cost_7d: week.cost,
      cost_30d: month.cost,
      cost_all_time: ever.cost,
      calls_today: day.calls,
      calls_7d: week.calls,
      calls_30d: month.calls,
      calls_all_time: ever.calls,
    },
    daily: await daily(db, account, from),
    endpoints: await endpoints(db, account, from),
  };
}

const DAY = 86_400_000;

function startOfDay(now: number): number {
  return now - (now % DAY);
}

async function daily(db: Kysely<Database>, account: string, from: number): Promise<Usage["daily"]> {
  const day = sql<number>`at / ${sql.lit(DAY)}`;
  const rows = await db
    .selectFrom("ledger")
    .select(({ fn }) => [
      day.as("day"),
      fn.countAll<number>().as("calls"),
      sql<number>`sum(coalesce(settled_micros, estimated_micros))`.as("micros"),
    ])
    .where("account", "=", account)
    .where("at", ">=", from)
    .groupBy(day)
    .orderBy("day")
    .execute();
  return rows.map(({ day: number, calls, micros }) => ({
    date: new Date(Number(number) * DAY).toISOString().slice(0, 10),
    calls: Number(calls),
    cost: usdOf(Number(micros)),
  }));
}

async function endpoints(db: Kysely<Database>, account: string, from: number): Promise<Usage["endpoints"]> {
  const rows = await db
    .selectFrom("ledger")
    .select(({ fn }) => [
      "operation",
      fn.countAll<number>().as("calls"),
      sql<number>`sum(coalesce(settled_micros, estimated_micros))`.as("micros"),
      fn.sum<number>("failed").as("failed"),
    ])
    .where("account", "=", account)
    .where("at", ">=", from)
    .groupBy("operation")
    .orderBy("micros", "desc")
    .execute();
  return rows.map(({ operation, calls, micros, failed }) => ({
    endpoint: operation,
    calls: Number(calls),
    cost: usdOf(Number(micros)),
    error_count: Number(failed),
  }));
}
