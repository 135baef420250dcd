import { setImmediate } from "node:timers/promises";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { endOfLine, endOfRest, endOfString, endOfValue, lineAt, Malformed, skipSpace } from "./scan.ts";
import { unquote } from "./variant.ts";

/**
 * A `.tscn`, `.tres`, `project.godot` or `.cfg` as a list of parts. Their joined texts are the file: unchanged parts
 * stay byte for byte.
 */
export interface Document {
  readonly parts: readonly Part[];
  /** The line ending of this file. */
  readonly eol: "\n" | "\r\n";
}

export type Part = Trivia | Heading | Assignment;

/** Blank lines and comments. */
interface Trivia {
  readonly kind: "trivia";
  readonly text: string;
}

/** `[node name="Player" type="Node2D"]` */
export interface Heading {
  readonly kind: "heading";
  readonly text: string;
  /** `node`; the whole name in files whose headings have no fields. */
  readonly tag: string;
  readonly fields: readonly Field[];
}

/** `position = Vector2(1, 2)` */
export interface Assignment extends Field {
  readonly kind: "assignment";
  readonly text: string;
}

interface Field {
  readonly name: string;
  /** As written in the file. */
  readonly value: string;
  /** Offset of the value in the text of its part. */
  readonly start: number;
}

/** Headings of scenes and resources have fields; those of settings files have only a name. */
type HeadingStyle = "fields" | "names";

export function parseDocument(text: string, style: HeadingStyle): Parsed {
  return finish(parsingDocument(text, style));
}

type Parsed = Result<Document, "E_UNSUPPORTED">;

/** `parseDocument` in steps. */
export function* parsingDocument(text: string, style: HeadingStyle): Steps<Parsed> {
  try {
    return ok({ parts: yield* partsOf(text, style), eol: text.includes("\r\n") ? "\r\n" : "\n" });
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const line = lineAt(text, error.at);
    return errors.fail(
      "E_UNSUPPORTED",
      `The file is not valid Godot text: ${error.message} (line ${line}).`,
      {
        details: { line },
        suggestedFix: "Fix the file by hand or restore it, then try again.",
      },
    );
  }
}

export function writeDocument({ parts }: Document): string {
  return parts.map((part) => part.text).join("");
}

/** Returns the assignment or heading with another value in one of its fields. */
export function withField(heading: Heading, name: string, value: string): Heading {
  const field = heading.fields.find((candidate) => candidate.name === name);
  if (field !== undefined)
    return headingOf(
      heading.text.slice(0, field.start) + value + heading.text.slice(field.start + field.value.length),
    );
  const end = endOfTag(heading);
  return headingOf(`${heading.text.slice(0, end)} ${name}=${value}${heading.text.slice(end)}`);
}

export function withoutField(heading: Heading, name: string): Heading {
  const field = heading.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return heading;
  const from = heading.text.lastIndexOf(name, field.start);
  const before = heading.text.slice(0, from).replace(/(?<![ \t])[ \t]+$/, "");
  return headingOf(before + heading.text.slice(field.start + field.value.length));
}

export function withValue(assignment: Assignment, value: string): Assignment {
  const { text, start } = assignment;
  return {
    ...assignment,
    value,
    text: text.slice(0, start) + value + text.slice(start + assignment.value.length),
  };
}

/** Parses a heading, such as one made by an edit. */
export function headingOf(text: string): Heading {
  const { part } = heading(text, 0, "fields");
  return part;
}

/** `separator` is ` = ` in scenes and `=` in settings. */
export function assignmentOf(key: string, separator: string, value: string, eol: string): Assignment {
  const name = /^[^\s"=;[\]]+$/.test(key) ? key : JSON.stringify(key);
  return {
    kind: "assignment",
    name: key,
    value,
    start: name.length + separator.length,
    text: `${name}${separator}${value}${eol}`,
  };
}

function* partsOf(text: string, style: HeadingStyle): Steps<Part[]> {
  const parts: Part[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  if (at === 1) parts.push({ kind: "trivia", text: "\uFEFF" });
  while (at < text.length) {
    if (parts.length % STEP === 0) yield;
    const code = text.charCodeAt(at);
    if (code === 91) {
      const { part, end } = heading(text, at, style);
      parts.push(part);
      at = end;
    } else if (code === 59 || code <= 32) {
      const end = code === 59 ? endOfLine(text, at) : endOfRestOrBlank(text, at);
      parts.push({ kind: "trivia", text: text.slice(at, end) });
      at = end;
    } else {
      const { part, end } = assignment(text, at);
      parts.push(part);
      at = end;
    }
  }
  return parts;
}

function endOfRestOrBlank(text: string, at: number): number {
  const end = endOfRest(text, at);
  return end > at ? end : at + 1;
}

function heading(text: string, from: number, style: HeadingStyle): { part: Heading; end: number } {
  if (style === "names") {
    const close = text.indexOf("]", from);
    if (close === -1) throw new Malformed(from, "a heading is not closed");
    const end = endOfRest(text, close + 1);
    const tag = text.slice(from + 1, close).trim();
    return { part: { kind: "heading", text: text.slice(from, end), tag, fields: [] }, end };
  }
  const tagStart = skipSpace(text, from + 1);
  const tagEnd = endOfName(text, tagStart);
  const fields: Field[] = [];
  let at = skipSpace(text, tagEnd);
  while (text.charCodeAt(at) !== 93) {
    if (at >= text.length) throw new Malformed(from, "a heading is not closed");
    const nameEnd = endOfName(text, at);
    const name = text.slice(at, nameEnd);
    const equals = skipSpace(text, nameEnd);
    if (name === "" || text[equals] !== "=") throw new Malformed(at, "a heading has a field without a value");
    const start = skipSpace(text, equals + 1);
    const end = endOfValue(text, start);
    fields.push({ name, value: text.slice(start, end), start: start - from });
    at = skipSpace(text, end);
  }
  const end = endOfRest(text, at + 1);
  return {
    part: { kind: "heading", text: text.slice(from, end), tag: text.slice(tagStart, tagEnd), fields },
    end,
  };
}

function endOfName(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 61 || code === 93 || code === 34) break;
  }
  return at;
}

function endOfTag({ text, fields }: Heading): number {
  const last = fields.at(-1);
  if (last !== undefined) return last.start + last.value.length;
  return endOfName(text, skipSpace(text, 1));
}

function assignment(text: string, from: number): { part: Assignment; end: number } {
  const quoted = text[from] === '"';
  let at = from;
  if (quoted) at = endOfString(text, from);
  else for (; text[at] !== "=" && text[at] !== "\n" && at < text.length; at++);
  const keyEnd = at;
  const equals = quoted ? skipSpace(text, at) : at;
  if (text[equals] !== "=") throw new Malformed(from, "a line is neither a heading nor `key = value`");
  const start = skipSpace(text, equals + 1);
  const valueEnd = endOfValue(text, start);
  const end = endOfRest(text, valueEnd);
  const raw = text.slice(from, keyEnd).trimEnd();
  return {
    part: {
      kind: "assignment",
      name: quoted ? unquote(raw) : raw,
      value: text.slice(start, valueEnd),
      start: start - from,
      text: text.slice(from, end),
    },
    end,
  };
}

/**
 * Work on a large file, cut into steps: other calls may run at each `yield`. `finish` runs it at once, `inSlices` in
 * slices.
 */
export type Steps<T> = Generator<void, T, void>;

/** How many small items a loop handles before it yields; a thousand take a few milliseconds. */
export const STEP = 500;

/** Longer work would delay a `ping`. */
const SLICE_MS = 15;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets timers and input of other calls run between slices. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
