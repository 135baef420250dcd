import { STEP, type Steps } from "../formats/slices.ts";
import type { FileKind } from "./file-facts.ts";
import { type Edge, edgesOf, type ProjectGraph } from "./project-graph.ts";

/** A part of the graph to look at: files, or folders where there are many files. */
export interface Section {
  readonly nodes: readonly { readonly path: string; readonly kind: FileKind | "folder" }[];
  readonly edges: readonly Pick<Edge, "from" | "to" | "kind">[];
}

export type Direction = "uses" | "used_by" | "both";

/** What a file uses and what uses it, to a depth; of the whole project without a file. */
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

/** Every use, by the file that is used. */
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

/** The same with folders for files, for a project that is too large to show every file. */
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

/** The most nodes and edges that a picture is of use with. */
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
