import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, unknownName } from "../../errors.ts";
import {
  FILE_KINDS,
  type FileFacts,
  NAME_KINDS,
  type NameUse,
  REFERENCE_KINDS,
} from "../../graph/file-facts.ts";
import { findingOccurrences } from "../../graph/occurrences.ts";
import { byFolder, findingSection, MAX_DRAWN, mermaidOf, svgOf } from "../../graph/picture.ts";
import { findingCycles, findingUnused, findMissing, findUnread } from "../../graph/problems.ts";
import { type Edge, type ProjectGraph, usersOf } from "../../graph/project-graph.ts";
import type { ProjectIndex } from "../../graph/project-index.ts";
import { textOf } from "../../graph/read-file.ts";
import type { Project } from "../../project/project.ts";
import type { PathCode } from "../../project/project-path.ts";
import { count as amount, list, maybe, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { count, type ToolAnswer } from "../product.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";

export interface GraphWork {
  readonly project: Project;
  readonly workspace: { readonly index: ProjectIndex };
}

const FILES = { mode: "files" } as const;

/** The warning of answers from an incomplete graph. */
function warningsOf(graph: ProjectGraph): { warnings?: string[] } {
  return graph.isCut
    ? { warnings: [`The project has more files than are read; the first ${graph.files.size} were.`] }
    : {};
}

export const overview = z.strictObject({
  files: amount,
  kinds: z.partialRecord(z.enum(FILE_KINDS), amount),
  mainScene: text.nullable(),
  autoloads: list(z.strictObject({ name: text, path: text })),
  classes: list(z.strictObject({ name: text, path: text })),
  actions: list(text),
  groups: list(text),
  connections: amount,
  problems: z.strictObject({ unused: amount, missing: amount, cycles: amount, unread: amount }),
  computedLoads: amount,
});

const MAX_NAMES = 40;

export function projectOverview({
  workspace,
}: GraphWork): Promise<ToolAnswer<z.infer<typeof overview>, never>> {
  return workspace.index.use(function* (graph) {
    const kinds: z.infer<typeof overview>["kinds"] = {};
    const actions = new Set<string>();
    const groups = new Set<string>();
    let connections = 0;
    let computedLoads = 0;
    for (const facts of graph.files.values()) {
      kinds[facts.kind] = (kinds[facts.kind] ?? 0) + 1;
      connections += facts.connections.length;
      computedLoads += facts.computedLoads.length;
      for (const { kind, name, how } of facts.names) {
        if (kind === "group") groups.add(name);
        else if (kind === "action" && how === "declared") actions.add(name);
      }
    }
    const problems = {
      unused: (yield* findingUnused(graph)).length,
      missing: findMissing(graph).length,
      cycles: (yield* findingCycles(graph)).length,
      unread: findUnread(graph).length,
    };
    const named = (names: ReadonlyMap<string, string>) =>
      Array.from(names, ([name, path]) => ({ name, path })).slice(0, MAX_NAMES);
    return ok(
      {
        files: graph.files.size,
        kinds,
        mainScene: mainScene(graph) ?? null,
        autoloads: named(graph.autoloads),
        classes: named(graph.classes),
        actions: [...actions].slice(0, MAX_NAMES),
        groups: [...groups].sort().slice(0, MAX_NAMES),
        connections,
        problems,
        computedLoads,
      },
      {
        summary: `${count(graph.files.size, "file")}: ${problems.unused} unused, ${problems.missing} missing, ${count(problems.cycles, "cycle")}.`,
        execution: FILES,
        ...warningsOf(graph),
      },
    );
  });
}

function mainScene({ files, links }: ProjectGraph): string | undefined {
  const settings = links.get("res://project.godot");
  const isScene = (path: string) => files.get(path)?.kind === "scene";
  return settings?.edges.find(({ kind, to }) => kind === "setting" && isScene(to))?.to;
}

export const place = z.string().optional().describe("File, such as res://player.gd; of uses also a folder");
export const thing = z
  .string()
  .min(1)
  .optional()
  .describe("Class, autoload, signal, method, group, input action or node, such as Player");

export const graphInput = z.strictObject({
  path: place,
  depth: z.int().min(1).max(20).optional().describe("Steps from path; default: 1"),
  direction: z.enum(["uses", "used_by", "both"]).optional().describe("Default: both"),
  format: z
    .enum(["json", "mermaid", "svg"])
    .optional()
    .describe("Default: json; mermaid is a picture as text, svg an image file"),
  ...pageInput,
});

const edge = z.strictObject({ from: text, to: text, kind: z.enum(REFERENCE_KINDS) });

export const graphPart = z.strictObject({
  nodes: amount,
  edges: list(edge).exactOptional(),
  /** A flowchart; folders instead of files if there are too many. */
  mermaid: maybe,
  /** The same as a self-contained image. */
  svg: maybe,
  ...pageShape,
});

export async function projectGraph(
  { project, workspace }: GraphWork,
  { path, depth = 1, direction = "both", format = "json", ...page }: z.infer<typeof graphInput>,
): Promise<ToolAnswer<z.infer<typeof graphPart>, PathCode | "E_NOT_FOUND">> {
  const at = path === undefined ? undefined : await project.resolve(path);
  if (at?.ok === false) return at;
  const start = at?.value.res;
  return workspace.index.use(function* (graph): Generator<
    void,
    ToolAnswer<z.infer<typeof graphPart>, "E_NOT_FOUND">
  > {
    if (start !== undefined && !graph.files.has(start)) return noFile(graph, start);
    const whole = yield* findingSection(graph, start, depth, direction);
    const what = `${count(whole.nodes.length, "file")} and ${count(whole.edges.length, "use")}`;
    if (format !== "json") {
      const isLarge = whole.nodes.length > MAX_DRAWN.nodes;
      const drawn = isLarge ? byFolder(whole) : whole;
      const picture = format === "svg" ? { svg: svgOf(drawn) } : { mermaid: mermaidOf(drawn) };
      const cut = drawn.nodes.length > MAX_DRAWN.nodes || drawn.edges.length > MAX_DRAWN.edges;
      return ok(
        { nodes: drawn.nodes.length, ...picture, total: drawn.edges.length, offset: 0 },
        {
          summary: `${what}${isLarge ? ", drawn by folder" : ""}${cut ? `; the first ${MAX_DRAWN.nodes} are drawn. Start at a path for less` : ""}.`,
          execution: FILES,
          ...warningsOf(graph),
        },
      );
    }
    const { items, ...more } = pageOf(whole.edges, page);
    return ok(
      { nodes: whole.nodes.length, edges: items, ...more },
      { summary: `${what}.`, execution: FILES, ...warningsOf(graph) },
    );
  });
}

function noFile(graph: ProjectGraph, path: string) {
  return unknownName(
    "E_NOT_FOUND",
    `There is no file ${path}.`,
    path,
    [...graph.files.keys()].slice(0, 5_000),
  );
}

export const usesInput = z.strictObject({
  path: place,
  name: thing,
  kind: z
    .enum([...NAME_KINDS, "class"])
    .optional()
    .describe("What name is; default: any"),
  ...pageInput,
});

const use = z.strictObject({
  path: text,
  line: amount,
  kind: text,
  /** For a file: true if this reference breaks when the file moves without it. */
  breaks: z.boolean().exactOptional(),
});

export const usesFound = z.strictObject({
  of: text,
  uses: list(use),
  /** The number of references that break when the file moves. */
  breaks: amount.exactOptional(),
  ...pageShape,
});

export async function findUses(
  { project, workspace }: GraphWork,
  { path, name, kind, ...page }: z.infer<typeof usesInput>,
): Promise<ToolAnswer<z.infer<typeof usesFound>, PathCode | "E_NOT_FOUND">> {
  if ((path === undefined) === (name === undefined))
    return errors.fail("E_SCHEMA_VALIDATION", "Give path for a file, or name for anything else; not both.");
  const at = path === undefined ? undefined : await project.resolve(path);
  if (at?.ok === false) return at;
  return workspace.index.use(function* (graph): Generator<
    void,
    ToolAnswer<z.infer<typeof usesFound>, "E_NOT_FOUND">
  > {
    yield;
    const { res } = at?.value ?? {};
    if (res !== undefined) {
      const isFolder = !graph.files.has(res);
      const from = isFolder ? `${res.replace(/\/*$/, "")}/` : res;
      if (isFolder && ![...graph.files.keys()].some((file) => file.startsWith(from)))
        return noFile(graph, res);
      const users = usersOf(graph, from).map(useOf);
      const breaks = users.filter((each) => each.breaks).length;
      const { items, ...more } = pageOf(users, page);
      return ok(
        { of: res, uses: items, breaks, ...more },
        {
          summary: `${count(users.length, "use")} of ${res}; ${breaks} would break if it moved without them. godot_understand rename moves it with all of them.`,
          execution: FILES,
          ...warningsOf(graph),
        },
      );
    }
    const wanted = name ?? "";
    const uses = yield* findingNamed(graph, wanted, kind);
    if (uses.length === 0)
      return errors.fail("E_NOT_FOUND", `Nothing in this project names "${wanted.slice(0, 200)}".`, {
        suggestedFix: "Look for a part of it with godot_understand search.",
      });
    const { items, ...more } = pageOf(uses, page);
    return ok(
      { of: wanted, uses: items, ...more },
      { summary: `${count(uses.length, "place")} for ${wanted}.`, execution: FILES, ...warningsOf(graph) },
    );
  });
}

/** A reference by path breaks when the file moves; one by uid or class does not. */
function useOf({ from, line, kind, by }: Edge): z.infer<typeof use> {
  return { path: from, line, kind, breaks: by === "path" };
}

type ThingKind = NonNullable<z.infer<typeof usesInput>["kind"]>;

/** Names that scripts use as identifiers, rather than in a string or a path. */
const IN_CODE: ReadonlySet<ThingKind | undefined> = new Set<ThingKind | undefined>([
  undefined,
  "class",
  "autoload",
  "signal",
  "method",
]);

/** Finds declarations, connections and uses of a name. Scripts that contain it are read again, for the lines. */
function* findingNamed(
  graph: ProjectGraph,
  name: string,
  kind: ThingKind | undefined,
): Generator<void, z.infer<typeof use>[]> {
  const found: z.infer<typeof use>[] = [];
  const wants = (other: ThingKind) => kind === undefined || kind === other;
  const inCode = kind ?? codeKind(graph, name);
  let count = 0;
  for (const facts of graph.files.values()) {
    if (count++ % 500 === 0) yield;
    const { path } = facts;
    const lines = new Map<number, string>();
    const add = (line: number, what: string) => {
      if (!lines.has(line)) lines.set(line, what);
    };
    for (const each of facts.names)
      if (each.how !== "text" && wants(each.kind) && isNamed(each, name))
        add(each.line, `${each.kind} ${each.how}`);
    for (const symbol of facts.symbols)
      if (symbol.kind === "node" && wants("node") && isNodeName(symbol.name, name))
        add(symbol.line, "node declared");
    if (IN_CODE.has(kind) && path.endsWith(".gd")) yield* addUsesInCode(graph, facts, name, inCode, add);
    for (const [line, what] of [...lines].sort(([one], [two]) => one - two))
      found.push({ path, line, kind: what });
  }
  return found;
}

/** Each line of a script that contains a name. */
function* addUsesInCode(
  { root }: ProjectGraph,
  { path, bytes, names, words, members }: FileFacts,
  name: string,
  kind: string,
  add: (line: number, what: string) => void,
): Generator<void, void> {
  const texts = names.flatMap((each) => (each.how === "text" && each.name === name ? [each.line] : []));
  if (!words.has(name) && !members.has(name) && texts.length === 0) return;
  const read = textOf(`${root}/${path.slice("res://".length)}`, bytes);
  if ("problem" in read) return;
  for (const { as, before, line } of yield* findingOccurrences(read.text, name)) {
    if (as === "comment" || (as === "text" && !texts.includes(line))) continue;
    const how = DECLARES.has(before) && as === "word" ? "declared" : as === "text" ? "in a text" : "used";
    add(line, `${kind} ${how}`);
  }
}

const DECLARES = new Set(["class_name", "func", "signal"]);

/** The kind of thing that a name in a script refers to. */
function codeKind(graph: ProjectGraph, name: string): ThingKind | "name" {
  if (graph.classes.has(name)) return "class";
  if (graph.autoloads.has(name)) return "autoload";
  for (const { symbols } of graph.files.values())
    for (const symbol of symbols)
      if (symbol.name === name && (symbol.kind === "signal" || symbol.kind === "method")) return symbol.kind;
  return "name";
}

function isNamed({ kind, name: given }: NameUse, name: string): boolean {
  return kind === "node" ? isNodeName(given, name) : given === name;
}

/** `A/Name/B:property` and `%Name` name the node Name, and a whole path is itself. */
function isNodeName(path: string, name: string): boolean {
  const nodes = path.split(":")[0] ?? "";
  return nodes === name || nodes.split("/").some((part) => part === name || part === `%${name}`);
}

export const problemsInput = z.strictObject({
  problem: z.enum(["unused", "missing", "cycles", "unread"]).describe("What to look for"),
  folder: p.folder,
  ...pageInput,
});

const problem = z.strictObject({
  path: text,
  /** The reference to a missing file. */
  line: amount.exactOptional(),
  /** The missing file or name. */
  to: maybe,
  as: maybe,
  similar: maybe,
  bytes: amount.exactOptional(),
  usedBy: list(text).exactOptional(),
  /** A cycle, back to its start. */
  files: list(text).exactOptional(),
  isFatal: z.boolean().exactOptional(),
  problem: maybe,
});

export const problemsFound = z.strictObject({
  kind: text,
  problems: list(problem),
  /** Lines that load a computed path: its files may be listed as unused. */
  computedLoads: list(z.strictObject({ path: text, line: amount })).exactOptional(),
  ...pageShape,
});

export async function findProblems(
  { project, workspace }: GraphWork,
  { problem: kind, folder, ...page }: z.infer<typeof problemsInput>,
): Promise<ToolAnswer<z.infer<typeof problemsFound>, PathCode>> {
  const at = await project.resolve(folder ?? "res://");
  if (!at.ok) return at;
  const within = at.value.res === "res://" ? "res://" : `${at.value.res}/`;
  return workspace.index.use(function* (graph): Generator<
    void,
    ToolAnswer<z.infer<typeof problemsFound>, never>
  > {
    const all = yield* problemsOf(graph, kind);
    const here = all.filter(({ path }) => path.startsWith(within));
    const computed = kind === "unused" ? computedLoads(graph) : [];
    const { items, ...more } = pageOf(here, page);
    return ok(
      {
        kind,
        problems: items,
        ...(computed.length > 0 && { computedLoads: computed.slice(0, MAX_COMPUTED) }),
        ...more,
      },
      {
        summary: `${WORDS[kind](here.length)}${computed.length > 0 ? `; ${count(computed.length, "line")} load computed paths, which may use some of them` : ""}.`,
        execution: FILES,
        ...warningsOf(graph),
      },
    );
  });
}

const MAX_COMPUTED = 10;

const WORDS: Readonly<Record<z.infer<typeof problemsInput>["problem"], (number: number) => string>> = {
  unused: (number) => count(number, "unused file"),
  missing: (number) => `${count(number, "reference")} to missing files`,
  cycles: (number) => count(number, "cycle"),
  unread: (number) => `${count(number, "file")} that could not be read`,
};

function* problemsOf(
  graph: ProjectGraph,
  kind: z.infer<typeof problemsInput>["problem"],
): Generator<void, z.infer<typeof problem>[]> {
  switch (kind) {
    case "unused":
      return (yield* findingUnused(graph)).map(({ path, bytes, usedBy }) => ({
        path,
        bytes,
        ...(usedBy.length > 0 && { usedBy }),
      }));
    case "missing":
      return findMissing(graph).map(({ from, line, to, kind: as, similar }) => ({
        path: from,
        line,
        to,
        as,
        ...(similar !== undefined && { similar }),
      }));
    case "cycles":
      return (yield* findingCycles(graph)).map(({ files, isFatal }) => ({
        path: files[0] ?? "",
        files,
        isFatal,
      }));
    case "unread":
      return findUnread(graph);
  }
}

function computedLoads(graph: ProjectGraph): { path: string; line: number }[] {
  return Array.from(graph.files.values()).flatMap(({ path, computedLoads }) =>
    computedLoads.map((line) => ({ path, line })),
  );
}
