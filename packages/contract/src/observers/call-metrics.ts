import { DURATION_BOUNDS, type Metric, type Sample } from "../metrics.ts";
import type { Observer } from "../observer.ts";

/** How often tools are called, how long that takes, and how it ends, since the process began. */
export interface CallMetrics {
  readonly observer: Observer;
  readonly read: () => readonly Metric[];
}

/** Named as OpenTelemetry names them for MCP, so that dashboards for it fit. */
export function callMetrics(): CallMetrics {
  const series = new Map<string, Series>();
  return {
    observer: {
      name: "metrics",
      ended({ tool, outcome, elapsedMs }) {
        const error = outcome.ok === false ? outcome.failure.code : undefined;
        const key = JSON.stringify([tool.name, error]);
        const known = series.get(key) ?? newSeries(tool.name, error);
        series.set(key, known);
        add(known, elapsedMs / 1_000);
      },
    },
    read: () => [
      {
        name: "mcp_server_operation_duration_seconds",
        help: "Duration of tool calls. error_type is the code of the failure.",
        type: "histogram",
        samples: [...series.values()].flatMap(samplesOf),
      },
    ],
  };
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** How many calls took at most as long as the bound of the same index. */
  readonly counts: number[];
  count: number;
  sum: number;
}

function newSeries(tool: string, error: string | undefined): Series {
  const labels = {
    mcp_method_name: "tools/call",
    gen_ai_tool_name: tool,
    ...(error !== undefined && { error_type: error }),
  };
  return { labels, counts: DURATION_BOUNDS.map(() => 0), count: 0, sum: 0 };
}

function add(series: Series, seconds: number): void {
  series.count += 1;
  series.sum += seconds;
  for (const [index, bound] of DURATION_BOUNDS.entries())
    if (seconds <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
}

function samplesOf({ labels, counts, count, sum }: Series): readonly Sample[] {
  const bucket = (le: string, value: number) => ({ labels: { ...labels, le }, value, suffix: "_bucket" });
  return [
    ...DURATION_BOUNDS.map((bound, index) => bucket(String(bound), counts[index] ?? 0)),
    bucket("+Inf", count),
    { labels, value: sum, suffix: "_sum" },
    { labels, value: count, suffix: "_count" },
  ];
}
