import { boundText, verdictOf } from "./figure.ts";
import { METRICS, type Metric } from "./metrics.ts";
import type { BenchResult, JudgedGoal, ServerFigures } from "./result.ts";
import type { Section } from "./sections.ts";
import { BASELINE, TARGETS } from "./targets.ts";

export function reportText(result: BenchResult): string {
  const { quick, runs, node, platform, servers, goals, sections } = result;
  return [
    ...(quick ? ["A quick run shows that everything runs; its figures mean nothing."] : []),
    `Node ${node} on ${platform}${runsText(runs)}. Values, and in brackets their ratio to ${BASELINE}.`,
    ...versionsText(result),
    ...servers.map((one) => table(serverTable(one))),
    ...leftOutLines(result),
    ...(goals.length > 0
      ? [table([["goal of a server on @toolpact/contract", "", "", ""], ...goals.map(goalCells)])]
      : []),
    ...goals.flatMap(({ why }) => (why === undefined ? [] : [why])),
    ...sections.map((section) => table(sectionTable(section))),
  ].join("\n\n");
}

export function versionsText({
  servers,
  versions,
}: Pick<BenchResult, "servers" | "versions">): readonly string[] {
  if (servers.length === 0) return [];
  const named = TARGETS.flatMap(({ name }) =>
    versions[name] === undefined ? [] : `${name} ${versions[name]}`,
  );
  return [`Versions, each the newest that could be installed: ${named.join(", ")}.`];
}

export function leftOutLines({ leftOut = [] }: Pick<BenchResult, "leftOut">): readonly string[] {
  return leftOut.map(({ name, why }) => `Left out: ${name}; ${why}`);
}

export function runsText(runs = 1): string {
  return runs === 1 ? "" : `, the median of ${runs} runs, in brackets from least to most`;
}

/** One row per metric, one column per server. */
export function serverTable({ transport, figures }: ServerFigures): string[][] {
  const targets = TARGETS.filter(({ name }) => figures[name] !== undefined);
  const metrics = Object.entries(METRICS) as [Metric, (typeof METRICS)[Metric]][];
  return [
    [transport, ...targets.map(({ name }) => name)],
    ...metrics.map(([metric, { title, unit }]) => [
      `${title}, ${unit}`,
      ...targets.map(({ name }) => cell(figures[name]?.[metric], figures[BASELINE]?.[metric])),
    ]),
  ];
}

function cell(value: number | undefined, baseline: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const ratio = baseline === undefined ? "" : ` (${ratioText(value / baseline)})`;
  return `${valueText(value)}${ratio}`;
}

export function goalCells({ name, ratio, ratios, goal, verdict }: JudgedGoal): string[] {
  return [name, `${ratioText(ratio)}${spread(ratios, ratioText)}`, goal, verdict];
}

function spread(values: readonly number[], text: (value: number) => string): string {
  if (values.length < 2) return "";
  return ` (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

export function sectionTable({ name, rows }: Section): string[][] {
  return [
    [name, "", "goal", ""],
    ...rows.map((row) => [
      row.name,
      `${valueText(row.value)} ${row.unit}${spread(row.values ?? [], valueText)}`,
      row.goal === undefined ? "" : boundText(row.goal),
      row.goal === undefined ? "" : verdictOf(row.values ?? [row.value], row.goal),
    ]),
  ];
}

function valueText(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function ratioText(ratio: number): string {
  return `${ratio.toFixed(ratio >= 10 ? 0 : ratio >= 0.1 ? 2 : 3)}×`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
