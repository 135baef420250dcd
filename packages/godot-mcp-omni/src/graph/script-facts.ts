import { dirname, join } from "node:path/posix";
import { STEP, type Steps } from "../formats/document.ts";
import { NODE_CALLS, pathOf } from "../formats/node-references.ts";
import { ScriptTokens } from "../formats/script-tokens.ts";
import type { CodeSymbol, FileFacts, FileReference, NameKind, NameUse, ReferenceKind } from "./file-facts.ts";

type ScriptFacts = Pick<
  FileFacts,
  "className" | "extends" | "references" | "names" | "symbols" | "words" | "members" | "computedLoads"
>;

/** Calls whose first text is a path to a file. */
const LOADS = new Set([
  "preload",
  "load",
  "load_threaded_request",
  "load_threaded_get",
  "change_scene_to_file",
  "exists",
  "file_exists",
]);

const GROUP_CALLS = new Set(
  "add_to_group remove_from_group is_in_group get_nodes_in_group get_first_node_in_group get_node_count_in_group has_group call_group call_group_flags set_group notify_group".split(
    " ",
  ),
);

const ACTION_CALLS = new Set(
  "is_action_pressed is_action_just_pressed is_action_just_released is_action_released is_action get_action_strength get_action_raw_strength action_press action_release has_action add_action erase_action action_get_events action_add_event get_axis get_vector".split(
    " ",
  ),
);

const SIGNAL_CALLS = new Set("emit_signal connect disconnect is_connected has_signal".split(" "));

const METHOD_CALLS = new Set("call call_deferred callv has_method rpc rpc_id Callable".split(" "));

const SIGNAL_MEMBERS = new Set("emit connect disconnect is_connected get_connections".split(" "));

const DECLARATIONS: Readonly<Record<string, CodeSymbol["kind"]>> = {
  func: "method",
  signal: "signal",
  var: "variable",
  const: "constant",
  class: "class",
  enum: "enum",
};

interface Scope {
  readonly indent: number;
  readonly isFunction: boolean;
  readonly name: string;
}

/** Nobody nests classes deeper. A line of nothing but `class` would take quadratic time and memory. */
const MAX_DEPTH = 50;

/** Reads a GDScript in one pass. `path` is the base of relative paths. */
export function* readingScript(source: string, path: string): Steps<ScriptFacts> {
  const references: FileReference[] = [];
  const names: NameUse[] = [];
  const symbols: CodeSymbol[] = [];
  const words = new Map<string, number>();
  const members = new Set<string>();
  const computedLoads: number[] = [];
  const token = new ScriptTokens(source);
  const calls: string[] = [];
  const scopes: Scope[] = [];
  let className: string | undefined;
  let base: string | undefined;
  let isBase = false;
  let [third, second, last] = ["", "", ""];
  let opensLoad = false;
  let count = 0;

  const use = (kind: NameKind, name: string, how: NameUse["how"]) => {
    if (name !== "") names.push({ kind, name, line: token.line, how });
  };

  while (token.next()) {
    if (count++ % (STEP * 10) === 0) yield;
    const { kind } = token;
    if (kind === "comment") continue;
    if (token.isFirst && calls.length === 0) {
      const indent = token.start - token.lineStart;
      while ((scopes.at(-1)?.indent ?? -1) >= indent) scopes.pop();
      isBase = false;
    }
    let text = "";
    if (kind === "word") {
      text = token.text();
      if (last === ".") members.add(text);
      else if (!words.has(text)) words.set(text, token.line);
      if (isBase) base = base === undefined ? text : `${base}.${text}`;
      else if (last === "extends" && scopes.length === 0) {
        base = text;
        isBase = true;
      } else if (last === "class_name") className = text;
      const declared = last in DECLARATIONS ? DECLARATIONS[last] : undefined;
      if (declared !== undefined && !scopes.some((scope) => scope.isFunction)) {
        const of = scopes.map((scope) => scope.name).join(".");
        symbols.push({ kind: declared, name: text, line: token.line, ...(of !== "" && { of }) });
        if (declared === "signal") use("signal", text, "declared");
      }
      if ((last === "func" || last === "class") && scopes.length < MAX_DEPTH)
        scopes.push({ indent: indentOf(token), isFunction: last === "func", name: text });
      if (last === "." && SIGNAL_MEMBERS.has(text) && isName(second)) use("signal", second, "used");
    } else if (kind === "mark") {
      text = source[token.start] ?? "";
      if (text === "(" || text === "[" || text === "{") calls.push(text === "(" ? last : "");
      else if (text === ")" || text === "]" || text === "}") calls.pop();
      if (text !== ".") isBase = false;
    } else if (kind === "text" || kind === "path") {
      const call = calls.at(-1) ?? "";
      const isArgument = last === "(";
      const node = pathOf(token, isArgument && NODE_CALLS.has(call));
      if (node !== undefined) use("node", node, "used");
      if (kind === "text") {
        const value = token.value();
        const found = referenceIn(value, path, last === "extends" ? "extends" : isArgument ? call : "");
        if (found !== undefined) references.push({ ...found, line: token.line });
        if (last === "extends" && scopes.length === 0) base = found?.to ?? value;
        if (GROUP_CALLS.has(call) && (isArgument || call === "call_group_flags")) use("group", value, "used");
        else if (ACTION_CALLS.has(call)) use("action", value, "used");
        else if (SIGNAL_CALLS.has(call) && isArgument) use("signal", value, "text");
        else if (METHOD_CALLS.has(call) || call === "call_group") use("method", value, "text");
      }
    }
    const isOwn = second !== "." || third === "ResourceLoader";
    if (opensLoad && kind !== "text") computedLoads.push(token.line);
    opensLoad = text === "(" && last === "load" && isOwn;
    third = second;
    second = last;
    last = text;
  }
  return {
    className,
    extends: base ?? (className === undefined ? undefined : "RefCounted"),
    references,
    names,
    symbols,
    words,
    members,
    computedLoads,
  };
}

function indentOf(token: ScriptTokens): number {
  let at = token.lineStart;
  while (token.source.charCodeAt(at) === 9 || token.source.charCodeAt(at) === 32) at++;
  return at - token.lineStart;
}

function isName(text: string): boolean {
  return /^\w/.test(text);
}

/** `call` is the function whose first argument the text is. Only `preload` and `extends` accept relative paths. */
function referenceIn(
  value: string,
  path: string,
  call: string,
): { readonly kind: ReferenceKind; readonly to: string } | undefined {
  const kind =
    call === "extends" ? "extends" : call === "preload" ? "preload" : LOADS.has(call) ? "load" : "text";
  if (/^(?:res|uid):\/\/[^\n]/.test(value)) {
    // `res://levels/%d.tscn` and `res://levels/` are the beginning of a computed path.
    const isWhole = kind === "preload" || kind === "extends" || /^uid:|^[^%{]*[^/%{]$/.test(value);
    return isWhole && value.length <= MAX_PATH_LENGTH ? { kind, to: value } : undefined;
  }
  if ((kind === "preload" || kind === "extends") && value !== "" && !value.includes("://"))
    return { kind, to: besides(value, path) };
  return undefined;
}

const MAX_PATH_LENGTH = 1000;

/** Resolves a path relative to a file into one from the project's root. */
export function besides(relative: string, path: string): string {
  return `res://${join(dirname(path.slice("res://".length)), relative)}`;
}
