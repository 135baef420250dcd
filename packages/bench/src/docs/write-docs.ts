import { readFile, writeFile } from "node:fs/promises";
import { goalCells, sectionTable, serverTable } from "../report.ts";
import type { BenchResult } from "../result.ts";
import { chartOf } from "./chart.ts";

const DOCS = new URL("../../../../docs/", import.meta.url);
const BEGIN = "<!-- Written by `npm run bench -- --docs`; do not edit by hand. -->";
const END = "<!-- End of what is written. -->";

/** Puts a run's figures into docs/performance.md, and draws docs/performance.svg. */
export async function writeDocs(result: BenchResult): Promise<void> {
  const page = new URL("performance.md", DOCS);
  const text = await readFile(page, "utf8");
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end === -1)
    throw new Error(`${page.pathname} has lost the marks between which figures stand.`);
  await writeFile(
    page,
    `${text.slice(0, begin)}${BEGIN}\n\n${figuresMarkdown(result)}\n\n${text.slice(end)}`,
  );
  await writeFile(new URL("performance.svg", DOCS), chartOf(result));
}

export function figuresMarkdown({ node, platform, date, goals, servers, sections }: BenchResult): string {
  return [
    `Node ${node} on ${platform}, ${date}.`,
    "### Goals of a server on `@toolpact/contract`",
    markdownTable([["", "ratio", "goal", ""], ...goals.map(goalCells)]),
    ...goals.flatMap(({ name, why }) => (why === undefined ? [] : [`Missed, ${name}: ${why}`])),
    ...servers.flatMap((one) => [`### Servers over ${one.transport}`, markdownTable(serverTable(one))]),
    ...sections.flatMap((section) => [`### ${section.name}`, markdownTable(sectionTable(section))]),
  ].join("\n\n");
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line)].join(
    "\n",
  );
}
