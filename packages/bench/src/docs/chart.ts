import { METRICS, type Metric, type Transport } from "../metrics.ts";
import type { BenchResult } from "../result.ts";
import { BASELINE, TARGETS, type TargetName } from "../targets.ts";

interface ChartRow {
  readonly transport: Transport;
  readonly metric: Metric;
  /** For metrics with more is better, shows the time per call. */
  readonly inverse?: boolean;
}

/** Every wait of a client on both transports, and the sizes. Rows are not chosen by their winner. */
const ROWS: readonly ChartRow[] = [
  ...(["stdio", "http"] as const).flatMap((transport): readonly ChartRow[] => [
    { transport, metric: "coldStartMs" },
    { transport, metric: "firstListMs" },
    { transport, metric: "firstCallMs" },
    { transport, metric: "firstCallAtOnceMs" },
    { transport, metric: "startToCallMs" },
    { transport, metric: "callP50Ms" },
    { transport, metric: "callP99Ms" },
    { transport, metric: "callsPerSecond", inverse: true },
  ]),
  { transport: "stdio", metric: "memoryMb" },
  { transport: "stdio", metric: "listBytes" },
];

const BARS: readonly TargetName[] = [
  "toolpact",
  "sdk-v2-built",
  "sdk-v1",
  "fastmcp",
  "mcp-ts-core",
  "xmcp",
  "mcp-use",
];
const COLORS: Readonly<Record<string, string>> = {
  toolpact: "#2f6fde",
  "sdk-v2-built": "#e0b074",
  "sdk-v1": "#9aa4b2",
  fastmcp: "#c9ced6",
  "mcp-ts-core": "#b9a3d9",
  xmcp: "#8fb9a0",
  "mcp-use": "#d59aa4",
};

const LEFT = 262;
const UNIT = 210;
const LONGEST = 2.2;
const BAR = 9;
const ROW = BARS.length * BAR + 14;
const TOP = 54;
const LETTER = 7;

/** The cost of each server as a multiple of the baseline. Shorter is better. */
export function chartOf({ servers }: BenchResult): string {
  const height = TOP + ROWS.length * ROW + 8;
  const one = LEFT + UNIT;
  const parts = ROWS.flatMap((row, index) => {
    const figures = servers.find(({ transport }) => transport === row.transport)?.figures;
    const y = TOP + index * ROW;
    const bars = BARS.flatMap((name, bar) => {
      const value = figures?.[name]?.[row.metric];
      const baseline = figures?.[BASELINE]?.[row.metric];
      if (value === undefined || baseline === undefined) return [];
      const ratio = row.inverse ? baseline / value : value / baseline;
      const width = Math.min(ratio, LONGEST) * UNIT;
      const top = y + bar * BAR;
      return [
        `<rect x="${LEFT}" y="${top}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${COLORS[name]}"/>`,
        `<text class="n" x="${(LEFT + width + 4).toFixed(1)}" y="${top + 7}">${ratio.toFixed(2)}×</text>`,
      ].join("");
    });
    return [`<text x="${LEFT - 8}" y="${y + 17}" text-anchor="end">${labelOf(row)}</text>`, ...bars];
  });
  const titles = BARS.map((name) => TARGETS.find((target) => target.name === name)?.title ?? name);
  const legend = BARS.map((name, index) => {
    const before = titles.slice(0, index).join("").length;
    const x = 8 + index * 34 + before * LETTER;
    return `<rect x="${x}" y="10" width="10" height="10" fill="${COLORS[name]}"/><text x="${x + 15}" y="19">${titles[index]}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + LONGEST * UNIT + 60} ${height}" role="img" aria-label="Cost of each server as a multiple of a bare MCP SDK v2 server">
<style>text{font:12px system-ui,sans-serif;fill:#24292f}.n{font-size:9px}line{stroke:#d1242f}@media(prefers-color-scheme:dark){text{fill:#e6edf3}}</style>
${legend.join("\n")}
<line x1="${one}" y1="${TOP - 12}" x2="${one}" y2="${height}" stroke-dasharray="3 3"/><text class="n" x="${one}" y="${TOP - 15}" text-anchor="middle">bare MCP SDK v2 = 1</text>
${parts.join("\n")}
</svg>
`;
}

function labelOf({ transport, metric, inverse = false }: ChartRow): string {
  const title = inverse ? "time per call, 16 at once" : METRICS[metric].title;
  return `${transport === "http" ? "HTTP" : transport}: ${title}`;
}
