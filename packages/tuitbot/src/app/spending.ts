import { DAY_MS } from "@toolpact/contract/internal";
import { usdOf } from "@toolpact/contract/internal/money";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { usageOf } from "../guards/budget/usage.ts";
import { dayOf } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import { plannedWeek } from "./planned-week.ts";
import type { Services } from "./services.ts";

/** The spending of the last `days`, as `--output json` and the dashboard have it. */
export async function spendingReport(session: Pick<Services, "db" | "workflow">, days: number) {
  const { db, workflow } = session;
  const now = workflow.now();
  const usage = await usageOf(db.store.db, db.account, days, now);
  const daily = Array.from({ length: days }, (_, i) => {
    const date = dayOf(now - (days - 1 - i) * DAY_MS);
    return usage.daily.find((day) => day.date === date) ?? { date, calls: 0, cost: 0 };
  });
  return {
    ...(await spendingOf(db, workflow)),
    summary: { ...usage.summary },
    /** One entry for each day, the oldest first. */
    daily: daily.map((day) => ({ ...day })),
    operations: usage.endpoints.map((endpoint) => ({ ...endpoint })),
    /** Clients, people and loops; the empty name is from before callers were recorded. */
    callers: usage.callers.map((caller) => ({ ...caller })),
    next_week: await plannedWeek(session),
  };
}

/** The spending of this day and month (UTC), and the caps. */
export interface Spending {
  readonly day_usd: number;
  readonly day_cap_usd: number | null;
  readonly month_usd: number;
  readonly month_cap_usd: number | null;
}

export async function spendingOf(
  session: Session,
  { caps, now }: Pick<Services["workflow"], "caps" | "now">,
): Promise<Spending> {
  // Whether the account owns the app changes prices, and not what was spent.
  const { day, month } = await budgetLedger(session, true).spent(now());
  const usd = (micros: number | undefined) => (micros === undefined ? null : usdOf(micros));
  return {
    day_usd: usdOf(day),
    day_cap_usd: usd(caps.perDay),
    month_usd: usdOf(month),
    month_cap_usd: usd(caps.perMonth),
  };
}

/** The price of requests to X in dollars, and the price of those that got no answer, in case X carried them out. */
export interface Charges {
  readonly usd: number;
  readonly openUsd: number;
}

/** Starts to count. The returned function adds up what X charged since then by its price list. */
export async function countCharges({ store, account }: Session): Promise<() => Promise<Charges>> {
  const last = await store.db
    .selectFrom("ledger")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("account", "=", account)
    .executeTakeFirst();
  return async () => {
    const rows = await store.db
      .selectFrom("ledger")
      .select(["settled_micros", "estimated_micros"])
      .where("account", "=", account)
      .where("id", ">", Number(last?.id ?? 0))
      .execute();
    const open = rows.filter(({ settled_micros }) => settled_micros === null);
    return {
      usd: usdOf(rows.reduce((sum, { settled_micros }) => sum + Number(settled_micros ?? 0), 0)),
      openUsd: usdOf(open.reduce((sum, { estimated_micros }) => sum + Number(estimated_micros), 0)),
    };
  };
}
