import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";

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

/** Calls, successes and latency of each tool since a time. */
export async function toolMetrics(db: Kysely<Database>, account: string, since: number): Promise<Metrics> {
  const rows = await db
    .selectFrom("telemetry")
    .select(({ fn }) => [
      "tool",
      "category",
      "elapsed_ms",
      "success",
      "policy_decision",
      fn.countAll<number>().as("count"),
    ])
    .where("account", "=", account)
    .where("at", ">=", since)
    .groupBy(["tool", "category", "elapsed_ms", "success", "policy_decision"])
    .orderBy("elapsed_ms")
    .execute();
  const counted = rows.map((row) => ({ ...row, count: Number(row.count) }));
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
      avg_latency_ms: share(sum(counted.map((row) => row.elapsed_ms * row.count)), total),
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

/** Which tools have failed with which codes since a time, the most frequent first. */
export async function errorBreakdown(
  db: Kysely<Database>,
  account: string,
  since: number,
): Promise<readonly ErrorCount[]> {
  const rows = await db
    .selectFrom("telemetry")
    .select(({ fn }) => ["tool", "code", fn.countAll<number>().as("count"), fn.max("at").as("latest")])
    .where("account", "=", account)
    .where("at", ">=", since)
    .where("code", "is not", null)
    .groupBy(["tool", "code"])
    .orderBy("count", "desc")
    .execute();
  return rows.map(({ tool, code, count, latest }) => ({
    tool_name: tool,
    error_code: code ?? "",
    count: Number(count),
    latest_at: new Date(Number(latest)).toISOString(),
  }));
}

interface Counted {
  readonly category: string;
  readonly elapsed_ms: number;
  readonly success: number;
  readonly policy_decision: string | null;
  readonly count: number;
}

/** `rows` in the order of their latency. */
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
    avg_latency_ms: share(sum(rows.map(({ elapsed_ms, count }) => elapsed_ms * count)), total),
    p50_latency_ms: percentile(rows, total, 50),
    p95_latency_ms: percentile(rows, total, 95),
    min_latency_ms: rows[0]?.elapsed_ms ?? 0,
    max_latency_ms: rows.at(-1)?.elapsed_ms ?? 0,
  };
}

/** Nearest rank. */
function percentile(rows: readonly Counted[], total: number, percent: number): number {
  let left = Math.ceil((percent / 100) * total);
  for (const { elapsed_ms, count } of rows) {
    left -= count;
    if (left <= 0) return elapsed_ms;
  }
  return 0;
}

function decisionsIn(rows: readonly Counted[]): Record<string, number> {
  const decisions: Record<string, number> = {};
  for (const { policy_decision, count } of rows)
    if (policy_decision !== null) decisions[policy_decision] = (decisions[policy_decision] ?? 0) + count;
  return decisions;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** To three places; 0 of nothing is 0. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 1_000;
}
