import type { Figure } from "./figure.ts";
import { median } from "./measure/statistics.ts";
import { type Figures, METRICS, type Metric } from "./metrics.ts";
import { type BenchResult, judge, type ServerFigures } from "./result.ts";
import type { Section } from "./sections.ts";
import { TARGETS } from "./targets.ts";

/** The median of each metric, with minimum and maximum for goals. */
export function together(runs: readonly BenchResult[]): BenchResult {
  const [first] = runs;
  if (first === undefined) throw new Error("There is no run.");
  if (runs.length === 1) return first;
  return {
    ...first,
    runs: runs.length,
    servers: first.servers.map(({ transport }) => ({
      transport,
      figures: medianFigures(runs.flatMap((run) => run.servers.filter((one) => one.transport === transport))),
    })),
    leftOut: [...new Map(runs.flatMap(({ leftOut = [] }) => leftOut.map((one) => [one.name, one]))).values()],
    goals: judge(...runs.map(({ servers }) => servers)),
    sections: first.sections.map(({ name }) =>
      sectionOf(runs.flatMap(({ sections }) => sections.filter((one) => one.name === name))),
    ),
  };
}

function medianFigures(runs: readonly ServerFigures[]): ServerFigures["figures"] {
  const metrics = Object.keys(METRICS) as Metric[];
  return Object.fromEntries(
    TARGETS.flatMap(({ name }) => {
      const found = runs.flatMap(({ figures }) => figures[name] ?? []);
      if (found.length === 0) return [];
      const figures = metrics.map((metric) => [metric, median(found.map((one) => one[metric]))]);
      return [[name, Object.fromEntries(figures) as Figures]];
    }),
  );
}

function sectionOf(runs: readonly Section[]): Section {
  const [first = { name: "", rows: [] }] = runs;
  return {
    name: first.name,
    rows: first.rows.map((row): Figure => {
      const values = runs.flatMap(({ rows }) =>
        rows.flatMap((other) => (other.name === row.name ? other.value : [])),
      );
      return values.length === 1 ? row : { ...row, value: median(values), values };
    }),
  };
}
