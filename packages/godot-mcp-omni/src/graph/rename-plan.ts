import type { ProjectGraph } from "./project-graph.ts";
import { textOf } from "./read-file.ts";

/** A place that may mean the renamed thing, and stays as it is unless the caller names it. */
export interface UncertainUse {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

/** What a rename does to the texts of a project. */
export interface RenamePlan {
  /** Old and new text, by path. */
  readonly texts: ReadonlyMap<string, { readonly before: string; readonly after: string }>;
  readonly uncertain: readonly UncertainUse[];
}

export interface ChangedLine {
  readonly path: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Collects replacements in files, each at its place. */
export class Renaming {
  readonly graph: ProjectGraph;
  /** `res://a.gd:12`: uncertain places that are changed all the same. */
  private readonly also: ReadonlySet<string>;
  private readonly texts = new Map<string, string | undefined>();
  private readonly edits = new Map<string, { start: number; end: number; text: string }[]>();
  private readonly doubts: UncertainUse[] = [];

  constructor(graph: ProjectGraph, also: readonly string[]) {
    this.graph = graph;
    this.also = new Set(also);
  }

  /** Undefined for what is no text. */
  text(path: string): string | undefined {
    if (this.texts.has(path)) return this.texts.get(path);
    const bytes = this.graph.files.get(path)?.bytes ?? 0;
    const read = textOf(`${this.graph.root}/${path.slice("res://".length)}`, bytes);
    const text = "text" in read ? read.text : undefined;
    this.texts.set(path, text);
    return text;
  }

  replace(path: string, start: number, end: number, text: string): void {
    const edits = this.edits.get(path);
    if (edits === undefined) this.edits.set(path, [{ start, end, text }]);
    else if (!edits.some((edit) => edit.start === start)) edits.push({ start, end, text });
  }

  /** Replaces the place if the caller named its line, and lists it otherwise. */
  doubt(path: string, line: number, why: string, place?: { start: number; end: number; text: string }): void {
    if (place !== undefined && this.also.has(`${path}:${line}`)) {
      this.replace(path, place.start, place.end, place.text);
      return;
    }
    if (this.doubts.some((doubt) => doubt.path === path && doubt.line === line && doubt.why === why)) return;
    this.doubts.push({ path, line, why, text: lineOf(this.text(path) ?? "", line) });
  }

  plan(): RenamePlan {
    const texts = new Map<string, { before: string; after: string }>();
    for (const [path, edits] of this.edits) {
      const before = this.text(path) ?? "";
      let after = before;
      for (const { start, end, text } of edits.sort((a, b) => b.start - a.start))
        after = after.slice(0, start) + text + after.slice(end);
      if (after !== before) texts.set(path, { before, after });
    }
    return { texts, uncertain: this.doubts };
  }
}

const LONGEST = 200;

function lineOf(text: string, line: number): string {
  return (text.split("\n")[line - 1] ?? "").trim().slice(0, LONGEST);
}

/** The lines that differ; where lines came or went, those between the first and the last difference. */
export function changedLines(path: string, before: string, after: string): ChangedLine[] {
  const old = before.split("\n");
  const now = after.split("\n");
  const changed: ChangedLine[] = [];
  if (old.length === now.length) {
    for (const [index, line] of old.entries())
      if (line !== now[index]) changed.push(shown(path, index + 1, line, now[index] ?? ""));
    return changed;
  }
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const part = (lines: string[]) => lines.slice(start, lines.length - end).join("\n");
  return [shown(path, start + 1, part(old), part(now))];
}

function shown(path: string, line: number, before: string, after: string): ChangedLine {
  return { path, line, before: before.trim().slice(0, LONGEST), after: after.trim().slice(0, LONGEST) };
}
