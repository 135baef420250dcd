import { STEP, type Steps } from "../formats/document.ts";
import type { CodeSymbol, FileFacts, FileReference } from "./file-facts.ts";
import { findingOccurrences, findingTypes, type Occurrence } from "./occurrences.ts";
import { edgesOf, fileOf, type ProjectGraph } from "./project-graph.ts";
import { type RenamePlan, Renaming } from "./rename-plan.ts";

/** Words that declare the next one. */
const DECLARES = new Set(["var", "const", "func", "signal", "class", "enum", "for"]);

/** Renames a `class_name` with every script and resource that names the class. */
export function* renamingClass(
  graph: ProjectGraph,
  from: string,
  to: string,
  also: readonly string[],
): Steps<RenamePlan> {
  const renaming = new Renaming(graph, also);
  for (const facts of graph.files.values()) {
    yield;
    const text = textWith(renaming, facts, from);
    if (text === undefined) continue;
    const { path } = facts;
    if (path.endsWith(".gd")) {
      const places = yield* findingOccurrences(text, from);
      const isOwn = places.some((place) => place.as === "word" && declares(place));
      for (const [index, place] of places.entries()) {
        if (index % STEP === 0) yield;
        const edit = { start: place.start, end: place.end, text: to };
        if (place.as === "member") continue;
        if (place.as !== "word") renaming.doubt(path, place.line, `a ${place.as}`, edit);
        else if (isOwn) renaming.doubt(path, place.line, `this script declares another ${from}`, edit);
        else renaming.replace(path, place.start, place.end, to);
      }
    } else
      for (const { index, line, before } of quotedIn(text, from)) {
        const isCertain = /\b(?:script_class|run\/main_loop_type)=$/.test(before);
        const edit = { start: index, end: index + from.length, text: to };
        if (isCertain) renaming.replace(path, edit.start, edit.end, to);
        // The name of a node, or another field of a heading.
        else if (!before.startsWith("[")) renaming.doubt(path, line, "a text", edit);
      }
  }
  return yield* renaming.planning();
}

function declares({ before, isParameter }: Occurrence): boolean {
  return DECLARES.has(before) || isParameter;
}

/** Every script that has the method or signal: the topmost one that declares it, and its descendants. */
function familyOf(graph: ProjectGraph, path: string, kind: "method" | "signal", name: string): Set<string> {
  const declaresIt = (script: string) =>
    graph.files
      .get(script)
      ?.symbols.some((each) => each.kind === kind && each.name === name && each.of === undefined) === true;
  let top = path;
  const seen = new Set<string>();
  for (let at: string | undefined = path; at !== undefined && !seen.has(at); at = baseScript(graph, at)) {
    seen.add(at);
    if (declaresIt(at)) top = at;
  }
  const family = new Set([top]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { path: script, kind: file } of graph.files.values())
      if (file === "script" && !family.has(script) && family.has(baseScript(graph, script) ?? ""))
        family.add(script);
  }
  return family;
}

const SIGNAL_CALLS = new Set(["emit_signal", "connect", "disconnect", "is_connected", "has_signal"]);

/** Renames a method or signal with its overrides, its uses in scripts, and the connections of scenes. */
export function* renamingMember(
  graph: ProjectGraph,
  script: string,
  kind: "method" | "signal",
  from: string,
  to: string,
  also: readonly string[],
): Steps<RenamePlan> {
  const renaming = new Renaming(graph, also);
  const family = familyOf(graph, script, kind, from);
  for (const facts of graph.files.values()) {
    yield;
    const text = textWith(renaming, facts, from);
    if (text === undefined) continue;
    if (facts.path.endsWith(".gd"))
      yield* renamingInScript(renaming, facts, text, { family, kind, from, to });
    else if (/\.t(?:scn|res)$/.test(facts.path))
      renameInScene(renaming, facts, text, { family, kind, from, to });
    else
      for (const { index, line } of quotedIn(text, from))
        renaming.doubt(facts.path, line, "a text", { start: index, end: index + from.length, text: to });
  }
  return yield* renaming.planning();
}

interface Member {
  readonly family: ReadonlySet<string>;
  readonly kind: "method" | "signal";
  readonly from: string;
  readonly to: string;
}

function* renamingInScript(
  renaming: Renaming,
  { path, symbols }: FileFacts,
  text: string,
  member: Member,
): Steps<void> {
  const { family, kind, from, to } = member;
  const places = yield* findingOccurrences(text, from);
  const isFamily = family.has(path);
  const keyword = kind === "method" ? "func" : "signal";
  const isDeclaration = ({ before }: Occurrence) => before === keyword;
  const isShadowed = places.some((place) => place.as === "word" && declares(place) && !isDeclaration(place));
  const inner = new Set(
    symbols.flatMap((each) =>
      each.kind === kind && each.name === from && each.of !== undefined ? [each.line] : [],
    ),
  );
  const inFamily = innerClasses(text).filter(({ base }) =>
    family.has(renaming.graph.classes.get(base) ?? base),
  );
  const types = places.some(({ as }) => as === "member")
    ? yield* findingTypes(text)
    : new Map<string, string>();
  for (const [index, place] of places.entries()) {
    if (index % STEP === 0) yield;
    const edit = { start: place.start, end: place.end, text: to };
    const certain = () => renaming.replace(path, place.start, place.end, to);
    const doubt = (why: string) => renaming.doubt(path, place.line, why, edit);
    switch (place.as) {
      case "comment":
        doubt("a comment");
        break;
      case "word":
        if (!isFamily) {
          if (inFamily.some(({ start, end }) => place.start >= start && place.start < end)) certain();
        } else if (isDeclaration(place)) {
          if (inner.has(place.line)) doubt("an inner class declares it");
          else certain();
        } else if (isShadowed) doubt(`this script declares another ${from}`);
        else if (inner.size > 0) doubt(`an inner class declares ${from} too`);
        else certain();
        break;
      case "member": {
        const known = receiverIs(renaming.graph, place.receiver, types, isFamily, family);
        if (known === true) certain();
        else if (known === undefined)
          doubt(
            place.receiver.length > 1
              ? `what ${place.receiver} is, is not known`
              : "what comes before the point is not known",
          );
        break;
      }
      case "text":
        if (
          kind === "signal" &&
          isFamily &&
          SIGNAL_CALLS.has(place.call) &&
          place.argument === 0 &&
          (place.callReceiver === undefined || place.callReceiver === "self")
        )
          certain();
        else doubt(place.call === "" ? "a text" : `a text in ${place.call}()`);
    }
  }
}

/** Inner classes with their base class, by name or by the path of its script. */
function innerClasses(text: string): { base: string; start: number; end: number }[] {
  return [...text.matchAll(/^([ \t]*)class[ \t]+\w+[ \t]+extends[ \t]+"?([\w:/.]+)/gm)].map((found) => {
    const [heading, indent = "", base = ""] = found;
    const start = found.index + heading.length;
    return { base: base.replace(/[:.]+$/, ""), start, end: endOfBlock(text, start, indent) };
  });
}

/** The position before the next line of code that is not indented further. */
function endOfBlock(text: string, start: number, indent: string): number {
  const [{ length = 0 } = "", ...lines] = text.slice(start).split("\n");
  let end = start + length;
  for (const line of lines) {
    const isInside = line.startsWith(`${indent} `) || line.startsWith(`${indent}\t`);
    if (!isInside && !/^[ \t]*(?:#.*)?$/.test(line)) return end;
    end += 1 + line.length;
  }
  return end;
}

/** Whether an expression is of the family; undefined if the script does not show it. */
function receiverIs(
  graph: ProjectGraph,
  receiver: string,
  types: ReadonlyMap<string, string | undefined>,
  isFamily: boolean,
  family: ReadonlySet<string>,
): boolean | undefined {
  if (receiver === "self" || receiver === "super") return isFamily;
  const autoload = graph.autoloads.get(receiver);
  const named =
    graph.classes.get(receiver) ?? (autoload?.startsWith("uid://") ? graph.uids.get(autoload) : autoload);
  const script = named ?? graph.classes.get(types.get(receiver) ?? "");
  if (script === undefined || script.endsWith(".tscn")) return undefined;
  if (family.has(script)) return true;
  // A variable of a class that the family extends may hold one of the family.
  for (const member of family) {
    const seen = new Set<string>();
    for (let at: string | undefined = member; at !== undefined && !seen.has(at); at = baseScript(graph, at)) {
      if (at === script) return undefined;
      seen.add(at);
    }
  }
  return false;
}

function renameInScene(renaming: Renaming, facts: FileFacts, text: string, member: Member): void {
  const { family, kind, from, to } = member;
  const { path } = facts;
  const field = kind === "method" ? "method" : "signal";
  const seen = new Set<number>();
  for (const connection of facts.connections) {
    if (connection[field] !== from) continue;
    const start = startOfLine(text, connection.line);
    const at = text.indexOf(`${field}="${from}"`, start);
    if (at === -1) continue;
    const place = at + field.length + 2;
    seen.add(place);
    const node = kind === "method" ? connection.to : connection.from;
    const script = scriptOfNode(renaming.graph, path, node);
    const edit = { start: place, end: place + from.length, text: to };
    if (script === null) renaming.doubt(path, connection.line, `the script of ${node} is not known`, edit);
    else if (script !== undefined && family.has(script)) renaming.replace(path, edit.start, edit.end, to);
  }
  for (const { index, line, before } of quotedIn(text, from)) {
    // Node names, connections handled above, and other heading fields mean something else.
    if (seen.has(index) || /(?:^\[|\s)\w+=$/.test(before)) continue;
    renaming.doubt(path, line, "a text", { start: index, end: index + from.length, text: to });
  }
}

/** The text of a file that can reference code, if it contains the name. */
function textWith(renaming: Renaming, { path }: FileFacts, name: string): string | undefined {
  if (!/\.(?:gd|cs|tscn|tres|godot|cfg|json)$/.test(path)) return undefined;
  const text = renaming.text(path);
  return text?.includes(name) ? text : undefined;
}

/** Positions of `"name"`, with the beginning of their line. */
function quotedIn(text: string, name: string): { index: number; line: number; before: string }[] {
  const found: { index: number; line: number; before: string }[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(`"${name}"`); at !== -1; at = text.indexOf(`"${name}"`, at + 1)) {
    for (let end = text.indexOf("\n", counted); end !== -1 && end < at; end = text.indexOf("\n", counted)) {
      line++;
      counted = end + 1;
    }
    found.push({ index: at + 1, line, before: text.slice(counted, at) });
  }
  return found;
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) at = text.indexOf("\n", at) + 1;
  return at;
}

/** The script that a script extends; undefined for a class of the engine. */
function baseScript(graph: ProjectGraph, path: string): string | undefined {
  const facts = graph.files.get(path);
  const base = facts?.extends;
  if (base === undefined) return undefined;
  const named = graph.classes.get(base);
  if (named !== undefined) return named;
  return base.includes("://") ? edgesOf(graph, path).find(({ kind }) => kind === "extends")?.to : undefined;
}

const MAX_DEPTH = 50;

/**
 * The script of a node in a scene, through instances and base scenes. Undefined if it has none, null if the files
 * do not show it, as for a script inside the scene.
 */
function scriptOfNode(
  graph: ProjectGraph,
  scene: string,
  path: string,
  depth = 0,
): string | undefined | null {
  const facts = graph.files.get(scene);
  if (facts === undefined || facts.problem !== undefined || depth > MAX_DEPTH) return null;
  const nodes = new Map(
    facts.symbols.flatMap((each): [string, CodeSymbol][] =>
      each.kind === "node" ? [[each.name, each]] : [],
    ),
  );
  const own = nodes.get(path);
  if (own?.script === "built-in") return null;
  if (own?.script !== undefined) return fileOf(graph, own.script) ?? null;
  const below = (reference: FileReference, rest: string) => {
    const file = fileOf(graph, reference);
    return file?.endsWith(".tscn") ? scriptOfNode(graph, file, rest, depth + 1) : null;
  };
  if (own?.instance !== undefined) return below(own.instance, ".");
  if (own?.of !== undefined) return undefined;
  // A node of an instance, or of the base scene.
  for (let above = path; above.includes("/"); ) {
    above = above.slice(0, above.lastIndexOf("/"));
    const holder = nodes.get(above);
    if (holder?.instance !== undefined) return below(holder.instance, path.slice(above.length + 1));
  }
  const base = nodes.get(".")?.instance;
  return base === undefined || path === "." ? undefined : below(base, path);
}
