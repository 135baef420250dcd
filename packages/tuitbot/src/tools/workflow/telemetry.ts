import { ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import * as z from "zod";
import { errorBreakdown, toolMetrics } from "../../audit/metrics.ts";
import { writeUp } from "../../profiles.ts";
import { hourOf } from "../../storage/days.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import { defineTool } from "../product.ts";

const about = {
  category: "telemetry",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
  errors: ["db_error"],
  input: z.strictObject({
    since_hours: z.int().min(1).max(2160).default(24).describe("Hours to go back"),
  }),
} as const;

const window = { window_hours: z.number(), since: z.string().describe("The full hour before") };
const count = z.number();

export const getMcpToolMetrics = defineTool({
  ...about,
  name: "get_mcp_tool_metrics",
  searchWords: "how fast are the tools, tool latency, calls per tool",
  title: "Get tool metrics",
  description:
    "Get calls, success rates and latencies of the tools of this server, the most called first. Percentiles are to about a tenth.",
  goOn: "Ask for one tool with `tool_name`, or for fewer with `limit`.",
  input: about.input.extend({
    tool_name: z.string().min(1).max(MAX_WORD).optional().describe("Only this tool, such as x_post_tweet"),
    limit: z.int().min(1).max(200).default(20).describe("At most so many tools; the summary is of all"),
  }),
  output: z.object({
    ...window,
    summary: z.object({
      total_calls: count,
      total_successes: count,
      total_failures: count,
      overall_success_rate: count,
      avg_latency_ms: count,
      unique_tools: count,
      policy_decisions: z.record(z.string(), count),
    }),
    tools: z.array(
      z.object({
        tool_name: z.string(),
        category: z.string(),
        total_calls: count,
        success_count: count,
        failure_count: count,
        success_rate: count,
        avg_latency_ms: count,
        p50_latency_ms: count,
        p95_latency_ms: count,
        min_latency_ms: count,
        max_latency_ms: count,
      }),
    ),
  }),
  handler: async ({ since_hours, tool_name, limit }, { db, workflow }) => {
    await workflow.flushTelemetry();
    const since = hourOf(workflow.now() - since_hours * HOUR_MS) * HOUR_MS;
    const { summary, tools } = await toolMetrics(db.store.db, db.account, since, tool_name);
    const mostCalled = [...tools].sort((one, other) => other.total_calls - one.total_calls);
    return ok({
      window_hours: since_hours,
      since: new Date(since).toISOString(),
      summary: { ...summary, policy_decisions: { ...summary.policy_decisions } },
      tools: mostCalled.slice(0, limit),
    });
  },
});

export const getMcpErrorBreakdown = defineTool({
  ...about,
  name: "get_mcp_error_breakdown",
  searchWords: "which tools fail, errors of tools",
  title: "Get tool errors",
  description: "Get which tools failed with which error codes, the most frequent first.",
  input: about.input.extend({
    limit: z.int().min(1).max(200).default(20).describe("At most so many rows; the total is of all"),
  }),
  output: z.object({
    ...window,
    total_errors: count,
    breakdown: z.array(
      z.object({ tool_name: z.string(), error_code: z.string(), count, latest_at: z.string() }),
    ),
  }),
  handler: async ({ since_hours, limit }, { db, workflow }) => {
    await workflow.flushTelemetry();
    const since = hourOf(workflow.now() - since_hours * HOUR_MS) * HOUR_MS;
    const breakdown = await errorBreakdown(db.store.db, db.account, since);
    return ok({
      window_hours: since_hours,
      since: new Date(since).toISOString(),
      total_errors: breakdown.reduce((sum, row) => sum + row.count, 0),
      breakdown: breakdown.slice(0, limit),
    });
  },
});
