import type { Steps } from "../formats/document.ts";
import { type FileFacts, type FileKind, KINDS_TO_USE, type ReferenceKind } from "./file-facts.ts";
import { edgesOf, type MissingFile, type ProjectGraph } from "./project-graph.ts";

/** A file that cannot be reached from the project settings. */
export interface UnusedFile {
  readonly path: string;
  readonly bytes: number;
  /** Files that use it, all of them unused too. */
  readonly usedBy: readonly string[];
}

export interface Cycle {
  readonly files: readonly string[];
  /** Whether scenes contain each other, which Godot refuses to load. */
  readonly isFatal: boolean;
}

export interface UnreadFile {
  readonly path: string;
  readonly problem: string;
}

const CAN_BE_UNUSED: ReadonlySet<FileKind> = new Set(KINDS_TO_USE);

export function* findingUnused(graph: ProjectGraph): Steps<UnusedFile[]> {
  const reached = yield* reaching(graph);
  const unused: UnusedFile[] = [];
  const users = new Map<string, string[]>();
  for (const { path, bytes, kind } of graph.files.values()) {
    if (reached.has(path) || !CAN_BE_UNUSED.has(kind)) continue;
    const usedBy: string[] = [];
    users.set(path, usedBy);
    unused.push({ path, bytes, usedBy });
  }
  let count = 0;
  for (const path of users.keys()) {
    if (count++ % STEP === 0) yield;
    for (const { to } of edgesOf(graph, path)) {
      const usedBy = users.get(to);
      if (usedBy !== undefined && to !== path && !usedBy.includes(path) && usedBy.length < MAX_USERS)
        usedBy.push(path);
    }
  }
  return unused;
}

const STEP = 1_000;
const MAX_USERS = 5;

function* reaching(graph: ProjectGraph): Steps<ReadonlySet<string>> {
  const reached = new Set<string>();
  const waiting: string[] = [];
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    waiting.push(path);
  };
  for (const facts of graph.files.values()) if (isStart(facts, graph)) visit(facts.path);
  let count = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (count++ % STEP === 0) yield;
    for (const { to } of edgesOf(graph, path)) visit(to);
  }
  return reached;
}

/** Files that Godot, an exporter or a test runner finds by itself. */
function isStart({ path, kind }: FileFacts, { files }: ProjectGraph): boolean {
  if (kind === "settings" || path === "res://default_bus_layout.tres") return true;
  // A table of translations becomes files that the settings name.
  if (/\.(?:csv|po)$/.test(path)) return files.has(`${path}.import`) || path.endsWith(".po");
  return /\/(?:test_[^/]*|[^/]*(?:_test|Test))\.gd$/.test(path);
}

export function findMissing(graph: ProjectGraph): MissingFile[] {
  return Array.from(graph.links.values(), ({ missing }) => missing).flat();
}

/** References that Godot follows while it loads a file. */
const WHILE_LOADING: ReadonlySet<ReferenceKind> = new Set<ReferenceKind>([
  "inherits",
  "instance",
  "script",
  "resource",
  "extends",
  "preload",
  "include",
]);

const CONTAINS: ReadonlySet<ReferenceKind> = new Set<ReferenceKind>([
  "inherits",
  "instance",
  "extends",
  "include",
]);

/** Groups of files that need each other to load, each as one cycle through it. */
export function* findingCycles(graph: ProjectGraph): Steps<Cycle[]> {
  const fatal = yield* cyclesBy(graph, CONTAINS);
  const all = yield* cyclesBy(graph, WHILE_LOADING);
  const known = new Set(fatal.map((files) => files.join()));
  return [
    ...fatal.map((files) => ({ files, isFatal: true })),
    ...all.filter((files) => !known.has(files.join())).map((files) => ({ files, isFatal: false })),
  ];
}

function* cyclesBy(graph: ProjectGraph, kinds: ReadonlySet<ReferenceKind>): Steps<string[][]> {
  const next = (path: string) =>
    edgesOf(graph, path).flatMap(({ to, kind, by }) =>
      kinds.has(kind) && (by !== "name" || kind === "extends") ? [to] : [],
    );
  const cycles: string[][] = [];
  for (const group of yield* stronglyConnected(graph.files.keys(), next)) {
    const inside = new Set(group);
    const [start = ""] = group.sort();
    if (group.length > 1 || next(start).includes(start)) cycles.push(wayAround(start, inside, next));
  }
  return cycles.sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
}

/** The shortest path from a file of the group back to itself. */
function wayAround(start: string, inside: ReadonlySet<string>, next: (path: string) => string[]): string[] {
  const before = new Map<string, string>();
  const waiting = [start];
  for (const path of waiting)
    for (const to of next(path)) {
      if (to === start) {
        const way = [path];
        for (let at = before.get(path); at !== undefined; at = before.get(at)) way.unshift(at);
        return way;
      }
      if (!inside.has(to) || before.has(to)) continue;
      before.set(to, path);
      waiting.push(to);
    }
  return [...inside];
}

/** Tarjan's algorithm, without recursion: a chain may be thousands of files long. */
function* stronglyConnected(all: Iterable<string>, next: (path: string) => string[]): Steps<string[][]> {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open = new Set<string>();
  const stack: string[] = [];
  const groups: string[][] = [];
  let count = 0;
  for (const root of all) {
    if (order.has(root)) continue;
    const work: { path: string; rest: string[] }[] = [];
    const enter = (path: string) => {
      order.set(path, order.size);
      low.set(path, order.size - 1);
      stack.push(path);
      open.add(path);
      work.push({ path, rest: next(path) });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      if (count++ % STEP === 0) yield;
      const { path, rest } = top;
      const to = rest.pop();
      const lowest = low.get(path) ?? 0;
      if (to !== undefined) {
        if (!order.has(to)) enter(to);
        else if (open.has(to)) low.set(path, Math.min(lowest, order.get(to) ?? 0));
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.path;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent) ?? 0, lowest));
      if (lowest !== order.get(path)) continue;
      const group: string[] = [];
      for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
        open.delete(each);
        group.push(each);
        if (each === path) break;
      }
      groups.push(group);
    }
  }
  return groups;
}

export function findUnread(graph: ProjectGraph): UnreadFile[] {
  return Array.from(graph.files.values()).flatMap(({ path, problem }) =>
    problem === undefined ? [] : [{ path, problem }],
  );
}
