import { changedLines } from "../formats/changed-lines.ts";
import { STEP, type Steps } from "../formats/document.ts";
import type { ProjectGraph } from "./project-graph.ts";
import { textOf } from "./read-file.ts";
import { lineEnds } from "./scene-facts.ts";

/** A possible reference, left unchanged unless the caller names it. */
export interface UncertainUse {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

/** The effect of a rename on the texts of a project. */
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

export class Renaming {
  readonly graph: ProjectGraph;
  /** `res://a.gd:12`: uncertain places to change as well. */
  private readonly also: ReadonlySet<string>;
  private readonly texts = new Map<string, string | undefined>();
  /** By file and start offset. */
  private readonly edits = new Map<string, Map<number, { end: number; text: string }>>();
  private readonly doubts = new Map<string, UncertainUse>();

  constructor(graph: ProjectGraph, also: readonly string[]) {
    this.graph = graph;
    this.also = new Set(also);
  }

  /** Undefined for a binary file. */
  text(path: string): string | undefined {
    if (this.texts.has(path)) return this.texts.get(path);
    const bytes = this.graph.files.get(path)?.bytes ?? 0;
    const read = textOf(`${this.graph.root}/${path.slice("res://".length)}`, bytes);
    const text = "text" in read ? read.text : undefined;
    this.texts.set(path, text);
    return text;
  }

  replace(path: string, start: number, end: number, text: string): void {
    const edits = this.edits.get(path) ?? new Map<number, { end: number; text: string }>();
    this.edits.set(path, edits.set(start, { end, text }));
  }

  /** Replaces the place if the caller named its line, and lists it otherwise. */
  doubt(path: string, line: number, why: string, place?: { start: number; end: number; text: string }): void {
    if (place !== undefined && this.also.has(`${path}:${line}`)) {
      this.replace(path, place.start, place.end, place.text);
      return;
    }
    const key = `${path}:${line} ${why}`;
    if (!this.doubts.has(key))
      this.doubts.set(key, { path, line, why, text: lineAround(this.text(path) ?? "", line, place?.start) });
  }

  *planning(): Steps<RenamePlan> {
    const texts = new Map<string, { before: string; after: string }>();
    for (const [path, edits] of this.edits) {
      yield;
      const before = this.text(path) ?? "";
      const parts: string[] = [];
      let at = 0;
      for (const [start, { end, text }] of [...edits].sort(([one], [two]) => one - two)) {
        parts.push(before.slice(at, start), text);
        at = end;
        if (parts.length % (STEP * 10) === 0) yield;
      }
      const after = parts.join("") + before.slice(at);
      if (after !== before) texts.set(path, { before, after });
    }
    return { texts, uncertain: [...this.doubts.values()] };
  }
}

const MAX_SHOWN_LENGTH = 200;

/** The line with this number, found from a known offset in it if there is one. */
function lineAround(text: string, line: number, place: number | undefined): string {
  let start = place === undefined ? 0 : text.lastIndexOf("\n", place - 1) + 1;
  if (place === undefined) for (let count = 1; count < line; count++) start = text.indexOf("\n", start) + 1;
  const end = text.indexOf("\n", start);
  return text
    .slice(start, end === -1 ? undefined : end)
    .trim()
    .slice(0, MAX_SHOWN_LENGTH);
}

/** The different lines; if lines were added or removed, those between the first and the last difference. */
export function* findingChangedLines(path: string, before: string, after: string): Steps<ChangedLine[]> {
  if (lineEnds(before) !== lineEnds(after)) return changedPart(path, before, after);
  const changed: ChangedLine[] = [];
  for (let line = 1, old = 0, now = 0; old !== -1; line++) {
    if (line % (STEP * 10) === 0) yield;
    const [oldEnd, nowEnd] = [before.indexOf("\n", old), after.indexOf("\n", now)];
    const was = before.slice(old, oldEnd === -1 ? undefined : oldEnd);
    const is = after.slice(now, nowEnd === -1 ? undefined : nowEnd);
    if (was !== is) changed.push(shown(path, line, was, is));
    old = oldEnd === -1 ? -1 : oldEnd + 1;
    now = nowEnd + 1;
  }
  return changed;
}

function changedPart(path: string, before: string, after: string): ChangedLine[] {
  const { line, old, now } = changedLines(before, after);
  return [shown(path, line, old.join("\n"), now.join("\n"))];
}

function shown(path: string, line: number, before: string, after: string): ChangedLine {
  return {
    path,
    line,
    before: before.trim().slice(0, MAX_SHOWN_LENGTH),
    after: after.trim().slice(0, MAX_SHOWN_LENGTH),
  };
}
