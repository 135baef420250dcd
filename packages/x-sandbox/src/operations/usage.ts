import { day, utcDay } from "../clock.ts";
import { success } from "../http/answer.ts";
import { withFields } from "../render/requested-fields.ts";
import type { Handlers } from "./context.ts";

export const usage = {
  getUsage: (input, context) => {
    const days = Array.from({ length: input.number("days", 7) }, (_, i) =>
      utcDay(context.now - i * day),
    ).reverse();
    const daily = days.map((date) => ({
      date: `${date}T00:00:00.000Z`,
      usage: String(context.ledger.postsReadByDay.get(date) ?? 0),
    }));
    const defaults = {
      project_cap: String(context.ledger.monthlyPostCap),
      project_id: context.app.id,
      project_usage: String(context.ledger.postsReadInMonth(context.now)),
    };
    const data = withFields(defaults, input.list("usage.fields"), {
      cap_reset_day: 1,
      daily_client_app_usage: [
        { client_app_id: context.app.id, usage: daily, usage_result_count: daily.length },
      ],
      daily_project_usage: { project_id: context.app.id, usage: daily },
    });
    return success({ data });
  },

  getUsageCredits: (_input, context) => {
    const balance = context.ledger.balanceUsd;
    return success({
      data: {
        free_balance: 0,
        free_grants: [],
        prepaid_balance: balance,
        total_balance: Math.max(0, balance),
      },
    });
  },
} satisfies Handlers;
