import { bar, type CommandOutcome, columns } from "@toolpact/cli";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import { ok } from "@toolpact/outcome";
import { spendingReport } from "../../app/spending.ts";
import type { Context } from "../context.ts";
import { callerInWords, operationTitle } from "../words.ts";
import { dollars, heading, ofCap, withDailySession } from "./daily-session.ts";

/** Prints what was spent at X on each day, and for what. */
export function showSpending(days: number, context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const facts = await spendingReport(session, days);
    return ok({ text: spendingText(facts, context), json: facts });
  });
}

type Facts = Awaited<ReturnType<typeof spendingReport>>;

const MAX_OPERATIONS = 10;

function spendingText(facts: Facts, context: Context): string {
  const { summary, daily, operations: endpoints } = facts;
  const dearest = Math.max(...daily.map(({ cost }) => cost));
  const room = Math.min(40, context.terminal.width - 32);
  const operations = endpoints.slice(0, MAX_OPERATIONS);
  return [
    columns([
      ["today", ofCap(facts.day_usd, facts.day_cap_usd)],
      ["this month", ofCap(facts.month_usd, facts.month_cap_usd)],
      ["30 days", dollars(summary.cost_30d)],
      ["all time", `${dollars(summary.cost_all_time)} for ${requests(summary.calls_all_time)}`],
      ["next 7 days", weekText(facts.next_week)],
    ]),
    heading("Per day (UTC)", context),
    columns(
      daily.map(({ date, calls, cost }) => [date, dollars(cost), requests(calls), bar(cost, dearest, room)]),
    ),
    ...(operations.length === 0
      ? ["No requests to X in these days.\n"]
      : [
          heading("Per kind of request", context),
          columns(
            operations.map(({ endpoint, calls, cost, error_count }) => [
              dollars(cost),
              requests(calls),
              `${operationTitle(endpoint)}${error_count > 0 ? ` (${error_count} failed)` : ""}`,
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
              escapeInvisible(callerInWords(caller)),
            ]),
          ),
        ]),
    ...(endpoints.length > MAX_OPERATIONS ? [`and ${endpoints.length - MAX_OPERATIONS} more\n`] : []),
  ].join("\n");
}

function weekText({ total_usd, scheduled_usd, posts, other_usd_per_day }: Facts["next_week"]): string {
  const scheduled = `${dollars(scheduled_usd)} for ${posts.length} scheduled ${posts.length === 1 ? "post" : "posts"}`;
  return total_usd === null || other_usd_per_day === null
    ? `${scheduled}; the rest is known after one full day`
    : `about ${dollars(total_usd)}: ${scheduled}, and ${dollars(other_usd_per_day)} a day for everything else`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
