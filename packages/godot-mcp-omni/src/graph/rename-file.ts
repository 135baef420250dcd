import { dirname, join, relative } from "node:path/posix";
import type { Steps } from "../formats/document.ts";
import { ScriptTokens } from "../formats/script-tokens.ts";
import { extensionOf } from "./file-facts.ts";
import type { ProjectGraph } from "./project-graph.ts";
import { type RenamePlan, Renaming } from "./rename-plan.ts";

const NAMES_FILES = new Set("tscn tres gd cs gdshader gdshaderinc godot cfg gdextension json".split(" "));

/** Updates references to a file that moves, and its own relative paths. The caller moves the file itself. */
export function* renamingFile(
  graph: ProjectGraph,
  from: string,
  to: string,
  also: readonly string[],
): Steps<RenamePlan> {
  const renaming = new Renaming(graph, also);
  const name = from.slice(from.lastIndexOf("/") + 1);
  for (const { path } of graph.files.values()) {
    if (!NAMES_FILES.has(extensionOf(path))) continue;
    yield;
    const text = renaming.text(path);
    if (text === undefined) continue;
    const isMoved = path === from;
    if (path.endsWith(".gd")) {
      if (isMoved || text.includes(name) || text.includes(`${dirname(from)}/`))
        inScript(renaming, path, text, from, to);
    } else if (text.includes(from))
      for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + 1)) {
        const end = at + from.length;
        // A path of another file may begin with this one's; "::" names a part of this one.
        const isWhole =
          /^["*]$/.test(text[at - 1] ?? "") && (text[end] === '"' || text.startsWith("::", end));
        if (isWhole) renaming.replace(path, at, end, to);
        else renaming.doubt(path, lineAt(text, at), "a longer text", { start: at, end, text: to });
      }
    else if (isMoved || text.includes(`"${name}"`)) relativeIncludes(renaming, path, text, from, to);
  }
  return yield* renaming.planning();
}

function inScript(renaming: Renaming, path: string, text: string, from: string, to: string): void {
  const token = new ScriptTokens(text);
  let [second, last] = ["", ""];
  while (token.next()) {
    if (token.kind === "comment") continue;
    if (token.kind === "text") {
      const { from: start, to: end } = token.inside();
      const value = text.slice(start, end);
      const canBeRelative = last === "extends" || (last === "(" && second === "preload");
      const next = renamed(value, path, from, to, canBeRelative);
      if (next !== undefined) renaming.replace(path, start, end, next);
      else if (value !== "res://" && value.length > "res://".length && isComputed(value, from))
        renaming.doubt(path, token.line, "the beginning of a computed path");
      else if (value.includes(from)) {
        const at = start + value.indexOf(from);
        renaming.doubt(path, token.line, "a longer text", { start: at, end: at + from.length, text: to });
      }
    }
    second = last;
    last = token.kind === "word" || token.kind === "mark" ? token.text() : "";
  }
}

function renamed(
  value: string,
  path: string,
  from: string,
  to: string,
  canBeRelative: boolean,
): string | undefined {
  if (value === from) return to;
  if (value.startsWith(`${from}::`)) return to + value.slice(from.length);
  if (!canBeRelative || value === "" || value.includes("://")) return undefined;
  const target = `res://${join(dirname(path.slice("res://".length)), value)}`;
  const place = path === from ? to : path;
  const goal = target === from ? to : target;
  if (place === path && goal === target) return undefined;
  const next = relative(dirname(place.slice("res://".length)), goal.slice("res://".length));
  return next === value ? undefined : next;
}

/** `res://levels/` or `res://levels/%d.tscn`, from which the path may be computed. */
function isComputed(value: string, from: string): boolean {
  if (!value.startsWith("res://")) return false;
  if (value.endsWith("/") || !/\.\w+$/.test(value)) return from.startsWith(value);
  const [start = ""] = value.split(/%|\{/);
  return start.length < value.length && start.length > "res://".length && from.startsWith(start);
}

/** `#include "noise.gdshaderinc"` */
function relativeIncludes(renaming: Renaming, path: string, text: string, from: string, to: string): void {
  if (!/\.gdshader(?:inc)?$/.test(path)) return;
  for (const match of text.matchAll(/#include\s+"([^"\n]{1,1000})"/g)) {
    const [whole, value = ""] = match;
    const next = renamed(value, path, from, to, true);
    const start = match.index + whole.length - 1 - value.length;
    if (next !== undefined) renaming.replace(path, start, start + value.length, next);
  }
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
