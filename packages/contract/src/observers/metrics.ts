import type { Observer } from "../observer.ts";

/** Since the start of the process. */
export interface CallMetrics {
  readonly observer: Observer;
  readonly read: () => readonly Metric[];
}

/** Named as in OpenTelemetry's MCP conventions. */
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
  /** Calls up to the bound of the same index. */
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

/** Seconds, as recommended by OpenTelemetry for MCP. */
export const DURATION_BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Such as `_bucket`. */
  readonly suffix?: string;
}

/**
 * Formats metrics in Prometheus's text format.
 *
 * ```ts
 * const up = { name: "notes_up", help: "Whether notes can be stored.", type: "gauge", samples: [{ value: 1 }] } as const;
 * const text = prometheusText([up]);
 * ```
 */
export function prometheusText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ({ labels = {}, value, suffix = "" }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Under Prometheus's usual names. */
export function processMetrics(): readonly Metric[] {
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", rss),
    gauge("process_start_time_seconds", "Start time of the process since the epoch.", startedAt),
    {
      name: "process_cpu_seconds_total",
      help: "Total user and system CPU time.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
  ];
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}

const startedAt = Math.round(Date.now() / 1_000 - process.uptime());
