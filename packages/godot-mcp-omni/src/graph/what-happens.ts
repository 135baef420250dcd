import { STEP, type Steps } from "../formats/document.ts";
import type { FileFacts } from "./file-facts.ts";
import type { ProjectGraph } from "./project-graph.ts";
import { textOf } from "./read-file.ts";

export const EFFECTS = ["handler", "calls", "emits", "scene", "node", "sets"] as const;

/** A line that runs as a consequence of the cause. */
export interface Effect {
  readonly depth: number;
  readonly kind: (typeof EFFECTS)[number];
  readonly path: string;
  readonly line: number;
  /** The function that contains the line; for a handler the called function. */
  readonly in: string;
  readonly text: string;
}

export interface Cause {
  readonly kind: "signal" | "action" | "method";
  readonly name: string;
  /** The node that emits the signal: its path in a scene, or the end of it. */
  readonly node?: string | undefined;
}

/** A function of a script, with the lines of its body. */
interface Code {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly lines: readonly string[];
}

/** Deeper chains and repetitions are left out. */
const MAX_DEPTH = 8;
const MAX_EFFECTS = 400;

/** Follows a signal, an input action or a method to its handlers, their calls, emissions and changes. */
export function* followingCause(graph: ProjectGraph, cause: Cause): Steps<readonly Effect[]> {
  const scripts = yield* readingScripts(graph);
  const found: Effect[] = [];
  const seen = new Set<Code>();
  const follow = (code: Code, depth: number) => {
    if (seen.has(code) || depth > MAX_DEPTH) return;
    seen.add(code);
    for (const [index, line] of code.lines.entries())
      for (const { kind, text, next } of effectsOf(line, code, scripts, graph)) {
        if (found.length >= MAX_EFFECTS) return;
        found.push({ depth, kind, path: code.path, line: code.line + 1 + index, in: code.name, text });
        for (const other of next()) follow(other, depth + 1);
      }
  };
  const begin = (code: Code, text: string) => {
    found.push({ depth: 0, kind: "handler", path: code.path, line: code.line, in: code.name, text });
    follow(code, 1);
  };
  if (cause.kind === "signal")
    for (const { code, from } of handlersOf(graph, scripts, cause.name, cause.node))
      begin(code, `${from} connects ${cause.name}`);
  for (const code of scripts.functions)
    if (cause.kind === "method" ? code.name === cause.name : asksFor(code, cause))
      begin(code, labelOf(code, cause));
  return found;
}

interface Scripts {
  readonly functions: readonly Code[];
  readonly byName: ReadonlyMap<string, readonly Code[]>;
}

function* readingScripts(graph: ProjectGraph): Steps<Scripts> {
  const functions: Code[] = [];
  let count = 0;
  for (const facts of graph.files.values()) {
    if (count++ % STEP === 0) yield;
    if (facts.path.endsWith(".gd")) functions.push(...functionsOf(graph.root, facts));
  }
  return { functions, byName: Map.groupBy(functions, ({ name }) => name) };
}

function functionsOf(root: string, { path, bytes, symbols }: FileFacts): Code[] {
  const methods = symbols.filter(({ kind }) => kind === "method");
  if (methods.length === 0) return [];
  const read = textOf(`${root}/${path.slice("res://".length)}`, bytes);
  if ("problem" in read) return [];
  const lines = read.text.split("\n");
  return methods.map(({ name, line }) => {
    const indent = /^\s*/.exec(lines[line - 1] ?? "")?.[0].length ?? 0;
    const rest = lines.slice(line);
    const end = rest.findIndex((each) => /\S/.test(each) && (/^\s*/.exec(each)?.[0].length ?? 0) <= indent);
    return { path, name, line, lines: rest.slice(0, end === -1 ? undefined : end).map(withoutComment) };
  });
}

/** A string may contain #, so a comment is only cut if no quotation mark precedes it. */
function withoutComment(line: string): string {
  return /^[^"'#]*#/.test(line) ? line.slice(0, line.indexOf("#")) : line;
}

function asksFor({ lines }: Code, { kind, name }: Cause): boolean {
  if (kind !== "action") return false;
  return lines.some(
    (line) =>
      /\b(?:is_action\w*|get_axis|get_vector|get_action_\w+)\s*\(/.test(line) && line.includes(`"${name}"`),
  );
}

function labelOf({ name }: Code, { kind, name: cause }: Cause): string {
  return kind === "action" ? `${name} asks for ${cause}` : `${cause} is called`;
}

/** Functions that are connected to a signal, in scenes and in scripts. */
function handlersOf(
  graph: ProjectGraph,
  { functions, byName }: Scripts,
  signal: string,
  node: string | undefined,
): readonly { readonly code: Code; readonly from: string }[] {
  const found: { code: Code; from: string }[] = [];
  const isMeant = (from: string) => node === undefined || from === node || from.endsWith(`/${node}`);
  for (const facts of graph.files.values())
    for (const { signal: name, from, to, method } of facts.connections) {
      if (name !== signal || !isMeant(from)) continue;
      const receiver = facts.symbols.find((symbol) => symbol.kind === "node" && symbol.name === to);
      const script = typeof receiver?.script === "object" ? receiver.script.to : undefined;
      const all = byName.get(method) ?? [];
      const own = all.filter(({ path }) => path === script);
      for (const code of own.length > 0 ? own : all) found.push({ code, from: `${facts.path} ${from}` });
    }
  for (const code of functions)
    for (const line of code.lines)
      for (const { index, 1: method = "" } of line.matchAll(/\.connect\(\s*(?:self\.)?(\w+)/g)) {
        const [, from = "", name] = EMITTER.exec(line.slice(Math.max(0, index - MAX_EMITTER), index)) ?? [];
        if (name !== signal || !isMeant(from.replace(/^[$%]/, ""))) continue;
        const own = (byName.get(method) ?? []).filter(({ path }) => path === code.path);
        for (const handler of own) found.push({ code: handler, from: code.path });
      }
  return found;
}

/** Calls that change the current scene, or end the game. */
/** The emitter and the signal directly before `.connect(`. */
const EMITTER = /([\w$%/"]*?)\.?\b(\w+)$/;
const MAX_EMITTER = 200;

const SCENE = /\b(?:change_scene_to_file|change_scene_to_packed|reload_current_scene|quit)\s*\(/;
/** Calls that change nodes. */
const NODE =
  /\b(?:queue_free|free|add_child|remove_child|reparent|instantiate|show|hide|play|stop|start|set_deferred)\s*\(/;
const SETS =
  /^\s*(?!(?:var|const|if|elif|while|for|return|match)\b)((?:[\w$%"/.]|\[[^\]]*\])+)\s*[-+*/]?=(?!=)/;

interface Found {
  readonly kind: Effect["kind"];
  readonly text: string;
  readonly next: () => readonly Code[];
}

function effectsOf(line: string, own: Code, scripts: Scripts, graph: ProjectGraph): readonly Found[] {
  const text = line.trim().slice(0, MAX_TEXT);
  const nothing = () => [];
  const found: Found[] = [];
  for (const [, emitted, named] of line.matchAll(/\b(\w+)\.emit\(|\bemit_signal\(\s*&?"(\w+)"/g)) {
    const signal = emitted ?? named ?? "";
    found.push({
      kind: "emits",
      text,
      next: () => handlersOf(graph, scripts, signal, undefined).map(({ code }) => code),
    });
  }
  if (SCENE.test(line)) found.push({ kind: "scene", text, next: nothing });
  else if (NODE.test(line)) found.push({ kind: "node", text, next: nothing });
  else if (SETS.test(line)) found.push({ kind: "sets", text, next: nothing });
  const called = [
    ...line.matchAll(/(?<!\w)(\w+)?(\.)?\b(\w+)\s*\(/g),
    ...line.matchAll(/(call_group)(\().*"(\w+)"/g),
  ].flatMap(([, on, , name = ""]) => targetsOf(name, on, own, scripts, graph));
  if (called.length > 0) found.push({ kind: "calls", text, next: () => called });
  return found;
}

const MAX_TEXT = 120;

/** Functions of the project that a call can mean: of the same script, of an autoload, or of that name. */
function targetsOf(
  name: string,
  on: string | undefined,
  own: Code,
  { byName }: Scripts,
  { autoloads }: ProjectGraph,
): readonly Code[] {
  const all = byName.get(name) ?? [];
  const autoload = on === undefined ? undefined : autoloads.get(on);
  const here = all.filter(({ path }) => path === (autoload ?? own.path));
  return here.length > 0 ? here : all;
}
