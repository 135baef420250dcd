import { done } from "../answer.ts";
import { day, utcDay } from "../clock.ts";
import { withFields } from "../render/fields.ts";
import type { Handlers } from "./scene.ts";

export const usage = {
  getUsage: (input, scene) => {
    const days = Array.from({ length: input.number("days", 7) }, (_, i) =>
      utcDay(scene.now - i * day),
    ).reverse();
    const daily = days.map((date) => ({
      date: `${date}T00:00:00.000Z`,
      usage: String(scene.ledger.postsReadByDay.get(date) ?? 0),
    }));
    const defaults = {
      project_cap: String(scene.ledger.monthlyPostCap),
      project_id: scene.app.id,
      project_usage: String(scene.ledger.postsReadInMonth(scene.now)),
    };
    const data = withFields(defaults, input.list("usage.fields"), {
      cap_reset_day: 1,
      daily_client_app_usage: [
        { client_app_id: scene.app.id, usage: daily, usage_result_count: daily.length },
      ],
      daily_project_usage: { project_id: scene.app.id, usage: daily },
    });
    return done({ data });
  },

  getUsageCredits: (_input, scene) => {
    const balance = scene.ledger.balanceUsd;
    return done({
      data: {
        free_balance: 0,
        free_grants: [],
        prepaid_balance: balance,
        total_balance: Math.max(0, balance),
      },
    });
  },
} satisfies Handlers;
