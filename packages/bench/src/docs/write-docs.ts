import { readFile, writeFile } from "node:fs/promises";
import { goalCells, leftOutLines, runsText, sectionTable, serverTable, versionsText } from "../report.ts";
import type { BenchResult } from "../result.ts";
import { chartOf } from "./chart.ts";

const DOCS = new URL("../../../../docs/", import.meta.url);
const BEGIN = "<!-- Written by `npm run bench -- --docs`; do not edit by hand. -->";
const END = "<!-- End of what is written. -->";

/** Writes docs/performance.md and docs/performance.svg. A partial run updates only its tables. */
export async function writeDocs(result: BenchResult): Promise<void> {
  const page = new URL("performance.md", DOCS);
  const text = await readFile(page, "utf8");
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end === -1)
    throw new Error(`${page.pathname} has lost the marks between which figures stand.`);
  if (result.servers.length === 0) {
    await writeFile(page, withSections(text, result));
    return;
  }
  await writeFile(page, withFigures(text, result));
  await writeFile(new URL("performance.svg", DOCS), chartOf(result));
}

/** A run of the servers only keeps the tables of other sections. */
export function withFigures(page: string, result: BenchResult): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  const old = page.slice(begin, end);
  const sections = old.search(/^### (?!Goals of |Servers over )/m);
  const kept = result.sections.length > 0 || sections === -1 ? "" : old.slice(sections);
  return `${page.slice(0, begin)}${BEGIN}\n\n${figuresMarkdown(result)}\n\n${kept}${page.slice(end)}`;
}

/** Replaces the tables of these sections, or adds them at the end. */
export function withSections(page: string, { runs, node, platform, date, sections }: BenchResult): string {
  return sections.reduce((text, section) => {
    const heading = `### ${section.name}\n`;
    const own = `${heading}\nNode ${node} on ${platform}, ${date}${runsText(runs)}.\n\n${markdownTable(sectionTable(section))}\n\n`;
    const begin = text.indexOf(`\n${heading}`, text.indexOf(BEGIN)) + 1;
    if (begin === 0) return text.replace(END, () => `${own}${END}`);
    const rest = text.slice(begin + heading.length);
    return text.slice(0, begin) + own + rest.slice(rest.search(/^###? |^<!-- End/m));
  }, page);
}

export function figuresMarkdown(result: BenchResult): string {
  const { runs, node, platform, date, goals, servers, sections } = result;
  return [
    `Node ${node} on ${platform}, ${date}${runsText(runs)}.`,
    "### Goals of a server on `@toolpact/contract`",
    markdownTable([["", "ratio", "goal", ""], ...goals.map(goalCells)]),
    ...goals.flatMap(({ name, why }) => (why === undefined ? [] : [`Missed, ${name}: ${why}`])),
    ...versionsText(result),
    ...servers.flatMap((one) => [`### Servers over ${one.transport}`, markdownTable(serverTable(one))]),
    ...leftOutLines(result),
    ...sections.flatMap((section) => [`### ${section.name}`, markdownTable(sectionTable(section))]),
  ].join("\n\n");
}

/** Aligned like this repository's formatter. */
function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const aligned = (row: readonly string[]) =>
    line(widths.map((width, column) => (row[column] ?? "")[column === 0 ? "padEnd" : "padStart"](width)));
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [aligned(head), line(rule), ...rows.map(aligned)].join("\n");
}
