import { type Kysely, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { hourOf } from "../storage/days.ts";

export interface ToolMetrics {
  readonly tool_name: string;
  readonly category: string;
  readonly total_calls: number;
  readonly success_count: number;
  readonly failure_count: number;
  readonly success_rate: number;
  readonly avg_latency_ms: number;
  readonly p50_latency_ms: number;
  readonly p95_latency_ms: number;
  readonly min_latency_ms: number;
  readonly max_latency_ms: number;
}

export interface Metrics {
  readonly summary: {
    readonly total_calls: number;
    readonly total_successes: number;
    readonly total_failures: number;
    readonly overall_success_rate: number;
    readonly avg_latency_ms: number;
    readonly unique_tools: number;
    readonly policy_decisions: Readonly<Record<string, number>>;
  };
  readonly tools: readonly ToolMetrics[];
}

/** Since the full hour. Percentiles are accurate to about 10 %. */
export async function toolMetrics(
  db: Kysely<Database>,
  account: string,
  since: number,
  tool?: string,
): Promise<Metrics> {
  const rows = await db
    .selectFrom("telemetry")
    .select(({ fn }) => [
      "tool",
      "category",
      "latency_ms",
      sql<number>`case when code = '' then 1 else 0 end`.as("success"),
      "policy_decision",
      fn.sum<number>("calls").as("count"),
      fn.sum<number>("total_ms").as("total_ms"),
      fn.min("min_ms").as("min_ms"),
      fn.max("max_ms").as("max_ms"),
    ])
    .where("account", "=", account)
    .where("hour", ">=", hourOf(since))
    .$if(tool !== undefined, (query) => query.where("tool", "=", tool ?? ""))
    .groupBy(["tool", "category", "latency_ms", "success", "policy_decision"])
    .orderBy("latency_ms")
    .execute();
  const counted = rows.map((row) => ({ ...row, count: Number(row.count), total_ms: Number(row.total_ms) }));
  const names = [...new Set(counted.map(({ tool }) => tool))].sort();
  const tools = names.map((name) =>
    metricsOf(
      name,
      counted.filter(({ tool }) => tool === name),
    ),
  );
  const total = sum(tools.map(({ total_calls }) => total_calls));
  const successes = sum(tools.map(({ success_count }) => success_count));
  return {
    summary: {
      total_calls: total,
      total_successes: successes,
      total_failures: total - successes,
      overall_success_rate: share(successes, total),
      avg_latency_ms: share(sum(counted.map(({ total_ms }) => total_ms)), total),
      unique_tools: tools.length,
      policy_decisions: decisionsIn(counted),
    },
    tools,
  };
}

export interface ErrorCount {
  readonly tool_name: string;
  readonly error_code: string;
  readonly count: number;
  readonly latest_at: string;
}

/** Since the full hour, most frequent first. */
export async function errorBreakdown(
  db: Kysely<Database>,
  account: string,
  since: number,
): Promise<readonly ErrorCount[]> {
  const rows = await db
    .selectFrom("telemetry")
    .select(({ fn }) => [
      "tool",
      "code",
      fn.sum<number>("calls").as("count"),
      fn.max("latest_at").as("latest"),
    ])
    .where("account", "=", account)
    .where("hour", ">=", hourOf(since))
    .where("code", "!=", "")
    .groupBy(["tool", "code"])
    .orderBy("count", "desc")
    .execute();
  return rows.map(({ tool, code, count, latest }) => ({
    tool_name: tool,
    error_code: code,
    count: Number(count),
    latest_at: new Date(Number(latest)).toISOString(),
  }));
}

interface Counted {
  readonly category: string;
  readonly latency_ms: number;
  readonly success: number;
  readonly policy_decision: string;
  readonly count: number;
  readonly total_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
}

/** In order of latency. */
function metricsOf(tool_name: string, rows: readonly Counted[]): ToolMetrics {
  const total = sum(rows.map(({ count }) => count));
  const successes = sum(rows.filter(({ success }) => success === 1).map(({ count }) => count));
  return {
    tool_name,
    category: rows[0]?.category ?? "",
    total_calls: total,
    success_count: successes,
    failure_count: total - successes,
    success_rate: share(successes, total),
    avg_latency_ms: share(sum(rows.map(({ total_ms }) => total_ms)), total),
    p50_latency_ms: percentile(rows, total, 50),
    p95_latency_ms: percentile(rows, total, 95),
    min_latency_ms: Math.min(...rows.map(({ min_ms }) => min_ms)),
    max_latency_ms: Math.max(...rows.map(({ max_ms }) => max_ms)),
  };
}

/** Nearest rank. */
function percentile(rows: readonly Counted[], total: number, percent: number): number {
  let left = Math.ceil((percent / 100) * total);
  for (const { latency_ms, min_ms, max_ms, count } of rows) {
    left -= count;
    if (left <= 0) return Math.min(Math.max(latency_ms, min_ms), max_ms);
  }
  return 0;
}

function decisionsIn(rows: readonly Counted[]): Record<string, number> {
  const decisions: Record<string, number> = {};
  for (const { policy_decision, count } of rows)
    if (policy_decision !== "") decisions[policy_decision] = (decisions[policy_decision] ?? 0) + count;
  return decisions;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** To three places. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 1_000;
}
