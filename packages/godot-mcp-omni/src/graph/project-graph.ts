import type { Steps } from "../formats/document.ts";
import type { FileFacts, FileReference, ReferenceKind } from "./file-facts.ts";
import { autoloadsOf } from "./settings-facts.ts";

/** One file uses another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: ReferenceKind;
  readonly line: number;
  /** How the file is named; one that is named by uid is found after it has moved. */
  readonly by: "path" | "uid" | "name";
}

/** A reference to a file that is not there. */
export interface MissingFile extends FileReference {
  readonly from: string;
  /** A file whose path differs only in case, which other systems would find. */
  readonly similar?: string;
}

interface Links {
  readonly facts: FileFacts;
  readonly edges: readonly Edge[];
  readonly missing: readonly MissingFile[];
}

/** The files of a project and how they use each other. */
export interface ProjectGraph {
  readonly root: string;
  readonly files: ReadonlyMap<string, FileFacts>;
  readonly isCut: boolean;
  /** By `class_name`. */
  readonly classes: ReadonlyMap<string, string>;
  readonly autoloads: ReadonlyMap<string, string>;
  readonly uids: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, Links>;
}

/** Links of files that are what they were are taken from the graph before. */
export function* linking(
  { root, files, isCut }: Pick<ProjectGraph, "root" | "files" | "isCut">,
  before?: ProjectGraph,
): Steps<ProjectGraph> {
  const classes = new Map<string, string>();
  const uids = new Map<string, string>();
  let count = 0;
  for (const [path, { className, uid, kind }] of files) {
    if (count++ % STEP === 0) yield;
    if (className !== undefined && !classes.has(className)) classes.set(className, path);
    if (uid?.startsWith("uid://"))
      uids.set(uid, kind === "sidecar" ? path.slice(0, path.lastIndexOf(".")) : path);
  }
  const autoloads = autoloadsOf(files.get("res://project.godot"));
  const isSame =
    before !== undefined &&
    hasSameKeys(files, before.files) &&
    isEqual(classes, before.classes) &&
    isEqual(uids, before.uids) &&
    isEqual(autoloads, before.autoloads);
  const links = new Map<string, Links>();
  const byCase = new Map<string, string>();
  for (const [path, facts] of files) {
    if (count++ % STEP === 0) yield;
    const known = isSame ? before.links.get(path) : undefined;
    links.set(
      path,
      known?.facts === facts ? known : linksOf(facts, { files, classes, uids, autoloads }, byCase),
    );
  }
  return { root, files, isCut, classes, autoloads, uids, links };
}

const STEP = 1_000;

type Names = Pick<ProjectGraph, "files" | "classes" | "uids" | "autoloads">;

function linksOf(facts: FileFacts, names: Names, byCase: Map<string, string>): Links {
  const edges: Edge[] = [];
  const missing: MissingFile[] = [];
  const from = facts.path;
  for (const reference of facts.references) {
    const found = resolved(reference, names);
    const { kind, line } = reference;
    if (found === undefined) {
      if (isFileName(reference.to))
        missing.push({ ...reference, from, ...similarTo(reference.to, names, byCase) });
    } else if (found.to !== from) edges.push({ from, ...found, kind, line });
    // A scene that contains itself, or a script that extends itself.
    else if (kind !== "text" && kind !== "load") edges.push({ from, ...found, kind, line });
  }
  const add = (to: string | undefined, line: number, kind: ReferenceKind) => {
    if (to !== undefined && to !== from && facts.kind !== "sidecar")
      edges.push({ from, to, kind, line, by: "name" });
  };
  for (const [word, line] of facts.words) {
    add(names.classes.get(word), line, word === facts.extends ? "extends" : "class");
    if (facts.kind === "script" || facts.kind === "scene")
      add(pathOfReference(names.autoloads.get(word), names), line, "autoload");
  }
  return { facts, edges, missing };
}

/** The file that a reference leads to. Godot takes the uid first, and the path where nothing has it. */
function resolved({ to, uid }: FileReference, names: Names): Pick<Edge, "to" | "by"> | undefined {
  const path = to.split("::")[0] ?? to;
  const byUid = uid === undefined ? undefined : names.uids.get(uid);
  if (byUid !== undefined && names.files.has(byUid)) return { to: byUid, by: "uid" };
  if (path.startsWith("uid://")) {
    const found = names.uids.get(path);
    return found !== undefined && names.files.has(found) ? { to: found, by: "uid" } : undefined;
  }
  return names.files.has(path) ? { to: path, by: "path" } : undefined;
}

/** The file that a reference leads to, if it is there. */
export function fileOf(graph: ProjectGraph, reference: FileReference): string | undefined {
  return resolved(reference, graph)?.to;
}

function pathOfReference(to: string | undefined, names: Names): string | undefined {
  return to === undefined ? undefined : resolved({ kind: "autoload", to, line: 0 }, names)?.to;
}

/** A folder, a pattern and what Godot makes itself are no files of the project. */
function isFileName(to: string): boolean {
  if (to.startsWith("uid://")) return to !== "uid://<invalid>";
  return /\.\w+$/.test(to) && !/[*?]/.test(to) && !to.startsWith("res://.godot/");
}

function similarTo(to: string, { files }: Names, byCase: Map<string, string>): { similar?: string } {
  if (byCase.size === 0) for (const path of files.keys()) byCase.set(path.toLowerCase(), path);
  const similar = byCase.get(to.toLowerCase());
  return similar === undefined ? {} : { similar };
}

function hasSameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) if (!other.has(key)) return false;
  return true;
}

function isEqual(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [key, value] of one) if (other.get(key) !== value) return false;
  return true;
}

/** Every use of one file, or of the files below a folder by others. */
export function usersOf(graph: ProjectGraph, path: string): Edge[] {
  const isFolder = path.endsWith("/");
  const users: Edge[] = [];
  for (const { edges } of graph.links.values())
    for (const edge of edges) {
      const isUse = isFolder ? edge.to.startsWith(path) && !edge.from.startsWith(path) : edge.to === path;
      if (isUse) users.push(edge);
    }
  return users;
}

/** The files that a file uses. */
export function edgesOf(graph: ProjectGraph, path: string): readonly Edge[] {
  return graph.links.get(path)?.edges ?? [];
}
