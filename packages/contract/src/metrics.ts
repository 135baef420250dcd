/** The bounds that OpenTelemetry's conventions for MCP advise for durations, in seconds. */
export const DURATION_BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;

/** One figure, or one for each combination of its labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** What follows the name, such as `_bucket` of a histogram. */
  readonly suffix?: string;
}

/**
 * Figures in Prometheus's text format.
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

/** What this process uses, under Prometheus's usual names. */
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

/** A figure without labels that may go up and down. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}

const startedAt = Math.round(Date.now() / 1_000 - process.uptime());
