import { STEP, type Steps } from "../formats/document.ts";
import type { FileKind } from "./file-facts.ts";
import { type Edge, edgesOf, type ProjectGraph } from "./project-graph.ts";

/** A part of the graph: files, or folders if there are many files. */
interface Section {
  readonly nodes: readonly { readonly path: string; readonly kind: FileKind | "folder" }[];
  readonly edges: readonly Pick<Edge, "from" | "to" | "kind">[];
}

type Direction = "uses" | "used_by" | "both";

/** The files that a file uses and that use it, to a depth; the whole project without a file. */
export function* findingSection(
  graph: ProjectGraph,
  start: string | undefined,
  depth: number,
  direction: Direction,
): Steps<Section> {
  const edges: Edge[] = [];
  if (start === undefined) for (const { edges: all } of graph.links.values()) edges.push(...all);
  else {
    const users = direction === "uses" ? undefined : allUsers(graph);
    const seen = new Set([start]);
    let border = [start];
    for (let step = 0; step < depth && border.length > 0; step++) {
      const next: string[] = [];
      for (const [index, path] of border.entries()) {
        if (index % STEP === 0) yield;
        const found = [...(direction === "used_by" ? [] : edgesOf(graph, path)), ...(users?.get(path) ?? [])];
        for (const edge of found) {
          edges.push(edge);
          for (const end of [edge.from, edge.to]) {
            if (seen.has(end)) continue;
            seen.add(end);
            next.push(end);
          }
        }
      }
      border = next;
    }
  }
  yield;
  const once = new Map(edges.map((edge) => [`${edge.from} ${edge.kind} ${edge.to}`, edge]));
  const shown = [...once.values()].map(({ from, to, kind }) => ({ from, to, kind }));
  yield;
  const paths = new Set([
    ...(start === undefined ? [] : [start]),
    ...shown.flatMap(({ from, to }) => [from, to]),
  ]);
  return {
    nodes: [...paths].map((path) => ({ path, kind: graph.files.get(path)?.kind ?? "other" })),
    edges: shown,
  };
}

function allUsers(graph: ProjectGraph): ReadonlyMap<string, readonly Edge[]> {
  const users = new Map<string, Edge[]>();
  for (const { edges } of graph.links.values())
    for (const edge of edges) {
      const known = users.get(edge.to);
      if (known === undefined) users.set(edge.to, [edge]);
      else known.push(edge);
    }
  return users;
}

/** Groups files by folder, for a project that is too large to show every file. */
export function byFolder({ nodes, edges }: Section): Section {
  const once = new Map<string, Section["edges"][number]>();
  for (const { from, to, kind } of edges) {
    const [start, end] = [folderOf(from), folderOf(to)];
    if (start !== end)
      once.set(`${start} ${end}`, once.get(`${start} ${end}`) ?? { from: start, to: end, kind });
  }
  const folders = new Set(nodes.map(({ path }) => folderOf(path)));
  return { nodes: [...folders].map((path) => ({ path, kind: "folder" })), edges: [...once.values()] };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Marks around a label, by kind. */
const SHAPES: Partial<Record<FileKind | "folder", readonly [string, string]>> = {
  scene: ["[", "]"],
  script: ["(", ")"],
  resource: ["[(", ")]"],
  shader: ["{{", "}}"],
  settings: ["[[", "]]"],
  folder: ["[/", "/]"],
};

/** The maximum of nodes and edges in a readable picture. */
export const MAX_DRAWN = { nodes: 60, edges: 120 } as const;

export function mermaidOf({ nodes, edges }: Section): string {
  const ids = new Map(nodes.slice(0, MAX_DRAWN.nodes).map(({ path }, index) => [path, `n${index}`]));
  const lines = nodes.slice(0, MAX_DRAWN.nodes).map(({ path, kind }) => {
    const [open, close] = SHAPES[kind] ?? ["([", "])"];
    return `  ${ids.get(path)}${open}"${labelOf(path)}"${close}`;
  });
  const drawn = edges.filter(({ from, to }) => ids.has(from) && ids.has(to)).slice(0, MAX_DRAWN.edges);
  return [
    "flowchart LR",
    ...lines,
    ...drawn.map(({ from, to, kind }) => `  ${ids.get(from)} -->|${kind}| ${ids.get(to)}`),
  ].join("\n");
}

/** Mermaid reads `#` as the start of a character's name, and quotes end the label. */
function labelOf(path: string): string {
  return (
    path.slice("res://".length).replace(/[#"<>&\\`\n]/g, (character) => `#${character.charCodeAt(0)};`) || "/"
  );
}

const BOX = { width: 200, height: 30 } as const;
const GAP = { x: 90, y: 14 } as const;
const EDGE = 24;
const MAX_LABEL_LENGTH = 30;

const COLORS: Partial<Record<FileKind | "folder", string>> = {
  scene: "#cfe8ff",
  script: "#d9f2d0",
  resource: "#ffe9c7",
  shader: "#eadcff",
  settings: "#e6e6e6",
  folder: "#fff6b3",
};

/** The section as an SVG image, readable on light and dark pages: each file is right of its users. */
export function svgOf({ nodes, edges }: Section): string {
  const shown = nodes.slice(0, MAX_DRAWN.nodes);
  const known = new Set(shown.map(({ path }) => path));
  const drawn = edges
    .filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
    .slice(0, MAX_DRAWN.edges);
  const columns = columnsOf(shown, drawn);
  const place = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [column, paths] of columns.entries())
    for (const [row, path] of paths.entries())
      place.set(path, {
        x: EDGE + column * (BOX.width + GAP.x),
        y: EDGE + row * (BOX.height + GAP.y),
      });
  const tallest = Math.max(1, ...columns.map((paths) => paths.length));
  const width = 2 * EDGE + columns.length * (BOX.width + GAP.x) - GAP.x;
  const height = 2 * EDGE + tallest * (BOX.height + GAP.y) - GAP.y;
  const lines = drawn.flatMap(({ from, to, kind }) => {
    const [start, end] = [place.get(from), place.get(to)];
    return start === undefined || end === undefined ? [] : [arrow(start, end, `${from} ${kind} ${to}`)];
  });
  const boxes = shown.flatMap(({ path, kind }) => {
    const at = place.get(path);
    return at === undefined ? [] : [box(at, path, COLORS[kind] ?? "#f5f5f5")];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...lines, ...boxes].join("\n")}
</svg>
`;
}

/** Files by their distance in uses; those of a cycle are placed where they are reached first. */
function columnsOf(nodes: Section["nodes"], edges: Section["edges"]): string[][] {
  const isUsed = new Set(edges.map(({ to }) => to));
  const column = new Map<string, number>();
  const begin = (path: string) => {
    const waiting = [path];
    if (!column.has(path)) column.set(path, 0);
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
      for (const { from, to } of edges)
        if (from === at && !column.has(to)) {
          column.set(to, (column.get(at) ?? 0) + 1);
          waiting.push(to);
        }
  };
  for (const { path } of nodes) if (!isUsed.has(path)) begin(path);
  // The rest is in cycles that nothing else uses.
  for (const { path } of nodes) if (!column.has(path)) begin(path);
  const columns: string[][] = [];
  for (const { path } of nodes) {
    const at = column.get(path) ?? 0;
    while (columns.length <= at) columns.push([]);
    columns[at]?.push(path);
  }
  return columns;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function arrow(from: Place, to: Place, title: string): string {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [toX, toY] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(40, Math.abs(toX - x) / 2);
  return `<path d="M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}" fill="none" stroke="#888" marker-end="url(#tip)"><title>${escaped(title)}</title></path>`;
}

function box({ x, y }: Place, path: string, color: string): string {
  const label = path.slice("res://".length) || "/";
  const short = label.length > MAX_LABEL_LENGTH ? `…${label.slice(1 - MAX_LABEL_LENGTH)}` : label;
  return `<g><title>${escaped(path)}</title><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5" fill="${color}" stroke="#666"/><text x="${x + 8}" y="${y + BOX.height / 2 + 4}" fill="#222">${escaped(short)}</text></g>`;
}

/** XML allows no control characters and no unpaired surrogates, not even escaped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
