import { bar, type CommandOutcome, columns } from "@toolpact/cli";
import { DAY_MS } from "@toolpact/contract";
import { escapeInvisible } from "@toolpact/contract/guards/text";
import { ok } from "@toolpact/outcome";
import { usageOf } from "../../guards/budget/usage.ts";
import { dayOf } from "../../storage/days.ts";
import type { Context } from "../context.ts";
import { type DailySession, dollars, heading, ofCap, spendingOf, withDailySession } from "./daily-session.ts";
import { plannedWeek } from "./planned-week.ts";

/** Prints what was spent at X on each day, and for what. */
export function showSpending(days: number, context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const facts = await spendingFacts(session, days);
    return ok({ text: spendingText(facts, context), json: facts });
  });
}

/** What was spent, as `--output json` has it. */
export async function spendingFacts(session: DailySession, days: number) {
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
    daily: daily.map((day) => ({ ...day })),
    operations: usage.endpoints.map((endpoint) => ({ ...endpoint })),
    callers: usage.callers.map((caller) => ({ ...caller })),
    next_week: await plannedWeek(session),
  };
}

type Facts = Awaited<ReturnType<typeof spendingFacts>>;

const MOST_OPERATIONS = 10;

function spendingText(facts: Facts, context: Context): string {
  const { summary, daily, operations: endpoints } = facts;
  const dearest = Math.max(...daily.map(({ cost }) => cost));
  const room = Math.min(40, context.terminal.width - 32);
  const operations = endpoints.slice(0, MOST_OPERATIONS);
  return [
    columns([
      ["today", ofCap(facts.day_usd, facts.day_cap_usd)],
      ["this month", ofCap(facts.month_usd, facts.month_cap_usd)],
      ["30 days", dollars(summary.cost_30d)],
      ["ever", `${dollars(summary.cost_all_time)} for ${requests(summary.calls_all_time)}`],
      ["next 7 days", weekText(facts.next_week)],
    ]),
    heading("Per day (UTC)", context),
    columns(
      daily.map(({ date, calls, cost }) => [date, dollars(cost), requests(calls), bar(cost, dearest, room)]),
    ),
    ...(operations.length === 0
      ? ["Nothing was asked of X in these days.\n"]
      : [
          heading("Per operation", context),
          columns(
            operations.map(({ endpoint, calls, cost, error_count }) => [
              dollars(cost),
              requests(calls),
              `${endpoint}${error_count > 0 ? ` (${error_count} failed)` : ""}`,
            ]),
          ),
        ]),
    ...(facts.callers.length === 0
      ? []
      : [
          heading("Per agent", context),
          columns(
            facts.callers.map(({ caller, calls, cost }) => [
              dollars(cost),
              requests(calls),
              caller === "" ? "not recorded" : escapeInvisible(caller),
            ]),
          ),
        ]),
    ...(endpoints.length > MOST_OPERATIONS ? [`and ${endpoints.length - MOST_OPERATIONS} more\n`] : []),
  ].join("\n");
}

function weekText({ total_usd, scheduled_usd, posts, loops_usd_per_day }: Facts["next_week"]): string {
  const scheduled = `${dollars(scheduled_usd)} for ${posts.length} scheduled`;
  return total_usd === null || loops_usd_per_day === null
    ? `${scheduled}; what the loops spend in a day is not known yet`
    : `about ${dollars(total_usd)}: ${scheduled}, and ${dollars(loops_usd_per_day)} a day for the loops`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
