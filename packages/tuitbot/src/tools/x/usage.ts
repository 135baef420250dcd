import { ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { type Micros, usdOf } from "@toolpact/contract/internal/money";
import * as z from "zod";
import { spentBy } from "../../guards/budget/ledger.ts";
import { usageOf } from "../../guards/budget/usage.ts";
import { writeUp } from "../../profiles.ts";
import { llmUsageSince } from "../../writing/usage.ts";
import { defineTool } from "../product.ts";

const usd = z.number();
const count = z.number();
const cap = z.number().nullable().describe("Null for no cap");

export const getXUsage = defineTool({
  name: "get_x_usage",
  facts: { everyday: true },
  searchWords: "how much money did I spend, costs, what did X cost, budget left, spending, bill",
  title: "Get X costs",
  description: "How much money was spent at X, what the budget leaves, and the use of the language model.",
  category: "analytics",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
  errors: ["db_error"],
  input: z.strictObject({ days: z.int().min(1).max(90).default(7).describe("Days that the lists go back") }),
  output: z.object({
    summary: z.object({
      cost_today: usd,
      cost_7d: usd,
      cost_30d: usd,
      cost_all_time: usd,
      calls_today: count,
      calls_7d: count,
      calls_30d: count,
      calls_all_time: count,
    }),
    budget: z.object({
      max_usd_per_call: cap,
      max_usd_per_day: cap,
      max_usd_per_month: cap,
      spent_usd_today: usd.describe("With what is put aside for calls at work"),
      spent_usd_this_month: usd,
    }),
    daily: z.array(z.object({ date: z.string(), calls: count, cost: usd })),
    endpoints: z.array(z.object({ endpoint: z.string(), calls: count, cost: usd, error_count: count })),
    llm: z
      .array(
        z.object({
          model: z.string(),
          calls: count,
          failed: count,
          input_tokens: count,
          output_tokens: count,
          cost: usd.nullable().describe("Null where its price is not known"),
        }),
      )
      .describe("Language model usage, in addition to X"),
  }),
  handler: async ({ days }, { db, workflow }) => {
    const now = workflow.now();
    const { perCall, perDay, perMonth } = workflow.caps;
    const [usage, spent, llm] = await Promise.all([
      usageOf(db.store.db, db.account, days, now),
      spentBy(db.store.db, db.account, now),
      llmUsageSince(db, now - days * DAY_MS),
    ]);
    return ok({
      summary: usage.summary,
      budget: {
        max_usd_per_call: capIn(perCall),
        max_usd_per_day: capIn(perDay),
        max_usd_per_month: capIn(perMonth),
        spent_usd_today: usdOf(spent.day),
        spent_usd_this_month: usdOf(spent.month),
      },
      daily: [...usage.daily],
      endpoints: [...usage.endpoints],
      llm,
    });
  },
});

function capIn(micros: Micros | undefined): number | null {
  return micros === undefined ? null : usdOf(micros);
}
