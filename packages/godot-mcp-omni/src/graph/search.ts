import type { Steps } from "../formats/document.ts";
import type { CodeSymbol, FileKind } from "./file-facts.ts";
import type { ProjectGraph } from "./project-graph.ts";
import { textOf } from "./read-file.ts";

export interface TextMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Kinds of files without human-written text. */
const NO_TEXT: ReadonlySet<FileKind> = new Set<FileKind>(["image", "audio", "font", "model", "sidecar"]);

const MAX_MATCHES = 20_000;
const MAX_LINE_LENGTH = 200;

export interface TextQuery {
  readonly text: string;
  readonly isExact: boolean;
  readonly isWord: boolean;
  readonly within: string;
}

/** Finds lines that contain a text. Files are read again: the index keeps facts, not content. */
export function* searchingText(graph: ProjectGraph, query: TextQuery): Steps<TextMatch[]> {
  const found: TextMatch[] = [];
  const wanted = query.isExact ? query.text : query.text.toLowerCase();
  for (const { path, kind, bytes } of graph.files.values()) {
    if (!path.startsWith(query.within) || NO_TEXT.has(kind)) continue;
    yield;
    const read = textOf(`${graph.root}/${path.slice("res://".length)}`, bytes);
    if ("problem" in read) continue;
    const { text } = read;
    const searched = query.isExact ? text : lowered(text);
    let line = 1;
    let counted = 0;
    for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at)) {
      const start = text.lastIndexOf("\n", at - 1) + 1;
      const end = text.indexOf("\n", at);
      if (!query.isWord || isWholeWord(searched, at, at + wanted.length)) {
        line += linesBetween(text, counted, start);
        counted = start;
        found.push({ path, line, text: shown(text, start, end === -1 ? text.length : end, at) });
        if (found.length >= MAX_MATCHES) return found;
        if (found.length % 500 === 0) yield;
        // Each line once.
        if (end === -1) break;
        at = end;
      } else at += wanted.length;
    }
  }
  return found;
}

/** Converts to lower case unless a letter changes its length, to keep offsets. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function linesBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function isWholeWord(text: string, from: number, to: number): boolean {
  return !/[\p{L}\p{N}_]/u.test((text[from - 1] ?? " ") + (text[to] ?? " "));
}

/** The line, or the part of a long one around the match. */
function shown(text: string, start: number, end: number, at: number): string {
  if (end - start <= MAX_LINE_LENGTH) return text.slice(start, end).trim();
  const from = Math.max(start, Math.min(at - MAX_LINE_LENGTH / 4, end - MAX_LINE_LENGTH));
  return `…${text.slice(from, from + MAX_LINE_LENGTH).trim()}…`;
}

export interface SymbolMatch extends CodeSymbol {
  readonly path: string;
}

/** Classes, methods, signals, variables, constants, enums and nodes whose name contains a text; best matches first. */
export function* searchingSymbols(
  graph: ProjectGraph,
  {
    text,
    within,
    kind,
  }: Pick<TextQuery, "text" | "within"> & { readonly kind?: CodeSymbol["kind"] | undefined },
): Steps<SymbolMatch[]> {
  const wanted = text.toLowerCase();
  const found: { rank: number; match: SymbolMatch }[] = [];
  const look = (path: string, symbol: CodeSymbol) => {
    if (kind !== undefined && symbol.kind !== kind) return;
    const name = symbol.name.toLowerCase();
    const last = name.slice(name.lastIndexOf("/") + 1);
    if (!last.includes(wanted) && name !== wanted) return;
    const rank = last === wanted || name === wanted ? 0 : last.startsWith(wanted) ? 1 : 2;
    found.push({ rank, match: { path, ...symbol } });
  };
  let count = 0;
  for (const { path, symbols, className, words } of graph.files.values()) {
    if (!path.startsWith(within)) continue;
    if (count++ % 200 === 0) yield;
    if (className !== undefined)
      look(path, { kind: "class", name: className, line: words.get(className) ?? 1 });
    for (const symbol of symbols) look(path, symbol);
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ match }) => match);
}
