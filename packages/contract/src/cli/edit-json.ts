import { isDeepStrictEqual } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";

/** Sets an entry in `member` without touching other bytes. Fails with the end of a sentence about the file. */
export function setJsonEntry(
  before: string,
  member: string,
  name: string,
  entry: JsonObject,
): Outcome<{ readonly content: string; readonly hadEntry: boolean }, string> {
  const mark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const given = before.slice(mark.length);
  const text = given.trim() === "" ? "{}\n" : given;
  const plain = withoutComments(text);
  const root = parseJson(plain);
  if (root === undefined) return failed("is neither JSON nor JSON with comments, so it was left alone.");
  const servers = isJsonObject(root) ? (root[member] ?? {}) : undefined;
  if (!isJsonObject(root) || !isJsonObject(servers))
    return failed(`does not hold its servers as an object in ${member}, so it was left alone.`);
  const hadEntry = Object.hasOwn(servers, name);
  if (hadEntry && JSON.stringify(servers[name]) === JSON.stringify(entry))
    return ok({ content: before, hadEntry });
  const edited = edit({ text, plain }, member, name, entry);
  const wanted = { ...root, [member]: { ...servers, [name]: entry } };
  // Programs disagree about files with duplicate names.
  return edited !== undefined && isDeepStrictEqual(parseJson(withoutComments(edited)), wanted)
    ? ok({ content: `${mark}${edited}`, hadEntry })
    : failed(`names ${member} or ${name} twice, so it was left alone.`);
}

/** Parses JSON with comments and trailing commas. */
export function jsonIn(text: string): unknown {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  return plain.trim() === "" ? {} : parseJson(withoutComments(plain));
}

/** Removes an entry in `member` without touching other bytes. Fails like `setJsonEntry`. */
export function removeJsonEntry(before: string, member: string, name: string): Outcome<string, string> {
  const plain = withoutComments(before);
  const root = jsonIn(before);
  const servers = isJsonObject(root) ? root[member] : undefined;
  if (!isJsonObject(root) || !isJsonObject(servers))
    return failed(`does not hold its servers as an object in ${member}, so it was left alone.`);
  const { [name]: _, ...others } = servers;
  const [list] = objectAt(plain, plain.indexOf("{")).members.filter(({ key }) => key === member);
  const { members } = objectAt(plain, list?.start ?? 0);
  const at = members.findIndex(({ key }) => key === name);
  const [previous, old, next] = [members[at - 1], members[at], members[at + 1]];
  if (old === undefined) return ok(before);
  const [start, end] =
    next !== undefined
      ? [old.keyStart, next.keyStart]
      : previous !== undefined
        ? [previous.end, old.end]
        : [old.keyStart, afterComma(before, old.end)];
  const edited = before.slice(0, start) + before.slice(end);
  return isDeepStrictEqual(jsonIn(edited), { ...root, [member]: others })
    ? ok(edited)
    : failed(`names ${member} or ${name} twice, so it was left alone.`);
}

function afterComma(text: string, end: number): number {
  const next = skip(text, BLANK, end);
  return text[next] === "," ? next + 1 : end;
}

const BYTE_ORDER_MARK = "\uFEFF";

interface Source {
  readonly text: string;
  readonly plain: string;
}

const TOKENS =
  /"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\r\n]*(?![^\r\n])|\/\*(?:[^*]|\*(?!\/))*\*\/)*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(TOKENS, (token) => (token.startsWith('"') ? token : token.replace(/[^\r\n]/g, " ")));
}

function edit(source: Source, member: string, name: string, entry: JsonObject): string | undefined {
  const start = source.plain.indexOf("{");
  const root = objectAt(source.plain, start);
  const [servers, second] = root.members.filter(({ key }) => key === member);
  if (second !== undefined) return undefined;
  if (servers === undefined) return insert(source, root, member, { [name]: entry });
  const object = objectAt(source.plain, servers.start);
  const [old, other] = object.members.filter(({ key }) => key === name);
  if (other !== undefined) return undefined;
  if (old === undefined) return insert(source, object, name, entry);
  const { text } = source;
  const isInOneLine = !text.slice(object.start, object.end).includes("\n");
  const value = isInOneLine ? JSON.stringify(entry) : formatted(text, entry, indentAt(text, old.keyStart));
  return text.slice(0, old.start) + value + text.slice(old.end);
}

interface ObjectRange {
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}

interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

/** Expects valid JSON. */
function objectAt(plain: string, start: number): ObjectRange {
  const members: Member[] = [];
  let at = skip(plain, SPACE, start + 1);
  while (plain[at] !== "}") {
    const keyStart = at;
    at = skip(plain, STRING, at);
    const key = JSON.parse(plain.slice(keyStart, at)) as string;
    const valueStart = skip(plain, SPACE, skip(plain, SPACE, at) + 1);
    const end = valueEnd(plain, valueStart);
    members.push({ key, keyStart, start: valueStart, end });
    at = skip(plain, SPACE, end);
    if (plain[at] === ",") at = skip(plain, SPACE, at + 1);
  }
  return { start, end: at + 1, members };
}

const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,}\]]+/y;

function skip(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return Math.max(from, pattern.lastIndex);
}

function valueEnd(plain: string, start: number): number {
  if (plain[start] === '"') return skip(plain, STRING, start);
  if (plain[start] !== "{" && plain[start] !== "[") return skip(plain, SCALAR, start);
  let depth = 0;
  for (let at = start; ; ) {
    const char = plain[at];
    if (char === '"') {
      at = skip(plain, STRING, at);
      continue;
    }
    if (char === "{" || char === "[") depth += 1;
    if (char === "}" || char === "]") depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
}

function insert(
  { text }: Source,
  { start, end, members }: ObjectRange,
  key: string,
  value: JsonObject,
): string {
  const last = members.at(-1);
  const put = (at: number, added: string) => text.slice(0, at) + added + text.slice(at);
  const compact = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  if (last !== undefined && !text.slice(start, end).includes("\n")) return put(last.end, `, ${compact}`);
  if (last === undefined && isOneLine(text)) return put(start + 1, compact);
  const newline = newlineOf(text);
  const outer = indentAt(text, start);
  const indent = last === undefined ? outer + unitOf(text) : indentAt(text, last.keyStart);
  const line = `${newline}${indent}${JSON.stringify(key)}: ${formatted(text, value, indent)}`;
  if (last === undefined) {
    // After comments, if the object has nothing else.
    const at = start + 1 + text.slice(start + 1, end - 1).trimEnd().length;
    return put(at, text.slice(at, end - 1).includes("\n") ? line : `${line}${newline}${outer}`);
  }
  const next = skip(text, BLANK, last.end);
  // At the end of its line, so a comment stays with its member.
  if (text[next] === ",") return put(lineEnd(text, next + 1, end - 1), `${line},`);
  const at = lineEnd(text, last.end, end - 1);
  return `${text.slice(0, last.end)},${text.slice(last.end, at)}${line}${text.slice(at)}`;
}

const BLANK = /(?:\s|\/\/[^\r\n]*(?![^\r\n])|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;

/** An empty object alone in its file is written over several lines, as most clients do. */
function isOneLine(text: string): boolean {
  return !text.trim().includes("\n") && text.trim() !== "{}";
}

/** The end of the line, or of its content before the closing brace. */
function lineEnd(text: string, from: number, close: number): number {
  const newline = text.slice(from, close).search(/\r?\n/);
  return from + (newline === -1 ? text.slice(from, close).trimEnd().length : newline);
}

function formatted(text: string, value: JsonObject, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", `${newlineOf(text)}${indent}`);
}

function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The indentation of the first indented member. */
function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

function indentAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? "";
}
