import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { endOfString, isWordCharacter, Malformed, skipSpace } from "./scan.ts";

/** A value in Godot's text format. */
export type Variant =
  | { readonly kind: "nil" }
  | { readonly kind: "bool"; readonly value: boolean }
  /** As written: 64-bit integers do not fit a JavaScript number. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  /** `&"name"` */
  | { readonly kind: "name"; readonly value: string }
  /** `of` is the element type of `Array[String]([…])`. */
  | { readonly kind: "array"; readonly of?: string; readonly items: readonly Variant[] }
  /** `of` is `String, int` in `Dictionary[String, int]({…})`. */
  | { readonly kind: "dictionary"; readonly of?: string; readonly entries: readonly Entry[] }
  /** `Vector2(1, 2)`, `ExtResource("1_a")`, `NodePath("A/B")`, `PackedByteArray(…)` */
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Variant[] }
  /** `Object(InputEventKey,"device":0)` */
  | { readonly kind: "object"; readonly type: string; readonly entries: readonly Entry[] };

export type Entry = readonly [key: Variant, value: Variant];

export function parseVariant(text: string): Result<Variant, "E_UNSUPPORTED"> {
  try {
    const { value, end } = valueAt(text, skipSpace(text, 0));
    if (skipSpace(text, end) < text.length) throw new Malformed(end, "something follows the value");
    return ok(value);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return errors.fail("E_UNSUPPORTED", `A value is not valid Godot text: ${error.message}.`);
  }
}

/** Writes the text that Godot itself would write. */
export function writeVariant(value: Variant): string {
  switch (value.kind) {
    case "nil":
      return "null";
    case "bool":
      return String(value.value);
    case "number":
      // Every Godot 4 reads this notation; not every version reads -inf.
      return value.text === "-inf" ? "inf_neg" : value.text;
    case "string":
      return quote(value.value);
    case "name":
      return `&${quote(value.value)}`;
    case "array": {
      const list = `[${value.items.map(writeVariant).join(", ")}]`;
      return value.of === undefined ? list : `Array[${value.of}](${list})`;
    }
    case "dictionary": {
      const map = value.entries.length === 0 ? "{}" : `{\n${entries(value.entries, ": ", ",\n")}\n}`;
      return value.of === undefined ? map : `Dictionary[${value.of}](${map})`;
    }
    case "call": {
      // Godot writes a string on one line only here.
      const write = value.name === "PackedStringArray" ? onOneLine : writeVariant;
      return `${value.name}(${value.args.map(write).join(", ")})`;
    }
    case "object":
      return `Object(${value.type}${value.entries.length === 0 ? "" : `,${entries(value.entries, ":", ",")}`})`;
  }
}

/** The type of a value, if its text shows it: a number may be one of two. */
export function typeOfText(text: string | undefined): string | undefined {
  const parsed = text === undefined ? undefined : parseVariant(text);
  if (parsed === undefined || !parsed.ok) return undefined;
  const { value } = parsed;
  switch (value.kind) {
    case "bool":
      return "bool";
    case "string":
      return "String";
    case "name":
      return "StringName";
    case "array":
      return containerType("Array", value.of);
    case "dictionary":
      return containerType("Dictionary", value.of);
    case "call":
      return /^(?:Ext|Sub)?Resource$/.test(value.name) ? "Resource" : value.name;
    default:
      return undefined;
  }
}

function containerType(container: string, of: string | undefined): string | undefined {
  if (of === undefined) return container;
  // The class of a script is written as a reference to its file.
  return /^[\w, ]+$/.test(of) ? `${container}[${of}]` : undefined;
}

function entries(list: readonly Entry[], colon: string, comma: string): string {
  return list.map(([key, value]) => writeVariant(key) + colon + writeVariant(value)).join(comma);
}

function onOneLine(value: Variant): string {
  return writeVariant(value).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

export function quote(value: string): string {
  // A carriage return would be lost in a checkout that converts line endings.
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\r", "\\r")}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

export function unquote(literal: string): string {
  const inner = literal.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  return inner.replace(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{6})|([\s\S]))/g,
    (_, short, long, one: string) => {
      const hex: string | undefined = short ?? long;
      if (hex === undefined) return ESCAPES[one] ?? one;
      const point = Number.parseInt(hex, 16);
      return point > 0x10ffff ? "\uFFFD" : String.fromCodePoint(point);
    },
  );
}

interface Parsed {
  readonly value: Variant;
  readonly end: number;
}

const MAX_DEPTH = 200;

function valueAt(text: string, from: number, depth = 0): Parsed {
  if (depth > MAX_DEPTH) throw new Malformed(from, `values are nested deeper than ${MAX_DEPTH}`);
  switch (text[from]) {
    case '"': {
      const end = endOfString(text, from);
      return { value: { kind: "string", value: unquote(text.slice(from, end)) }, end };
    }
    case "&":
    case "@":
    case "^": {
      const end = endOfString(text, from + 1);
      const inner = unquote(text.slice(from + 1, end));
      return text[from] === "^"
        ? { value: { kind: "call", name: "NodePath", args: [{ kind: "string", value: inner }] }, end }
        : { value: { kind: "name", value: inner }, end };
    }
    case "[": {
      const { items, end } = list(text, from + 1, "]", depth);
      return { value: { kind: "array", items }, end };
    }
    case "{": {
      const { entries, end } = map(text, from + 1, "}", depth);
      return { value: { kind: "dictionary", entries }, end };
    }
    default:
      return wordAt(text, from, depth);
  }
}

function wordAt(text: string, from: number, depth: number): Parsed {
  let end = from;
  while (isWordCharacter(text.charCodeAt(end))) end++;
  const word = text.slice(from, end);
  if (word === "") throw new Malformed(from, "a value is missing");
  if (word === "inf_neg") return { value: { kind: "number", text: "-inf" }, end };
  if (/^[-+]?(?:\.?\d|inf|nan)/.test(word)) return { value: { kind: "number", text: word }, end };
  const next = skipSpace(text, end);
  if (text[next] === "[" && (word === "Array" || word === "Dictionary"))
    return typed(text, next, word, depth);
  if (text[next] === "(") {
    if (word === "Object") return object(text, next + 1, depth);
    const { items, end } = list(text, next + 1, ")", depth);
    return { value: { kind: "call", name: word, args: items }, end };
  }
  if (word === "true" || word === "false") return { value: { kind: "bool", value: word === "true" }, end };
  if (word === "null" || word === "nil") return { value: { kind: "nil" }, end };
  throw new Malformed(from, `${word.slice(0, 40)} is no value`);
}

/** `Array[int]([1])`; the element type may itself be `ExtResource("1_a")` for a script's class. */
function typed(text: string, open: number, word: "Array" | "Dictionary", depth: number): Parsed {
  let close = open + 1;
  for (let nested = 0; text[close] !== "]" || nested > 0; close++) {
    if (close >= text.length) throw new Malformed(open, "a bracket is not closed");
    if (text[close] === '"') close = endOfString(text, close) - 1;
    else if (text[close] === "[") nested++;
    else if (text[close] === "]") nested--;
  }
  const of = text.slice(open + 1, close).trim();
  const paren = skipSpace(text, close + 1);
  if (text[paren] !== "(") throw new Malformed(paren, `${word}[${of}] has no content`);
  const inner = valueAt(text, skipSpace(text, paren + 1), depth + 1);
  const end = skipSpace(text, inner.end);
  if (text[end] !== ")") throw new Malformed(end, "a bracket is not closed");
  if (inner.value.kind === "array" && word === "Array")
    return { value: { ...inner.value, of }, end: end + 1 };
  if (inner.value.kind === "dictionary" && word === "Dictionary")
    return { value: { ...inner.value, of }, end: end + 1 };
  throw new Malformed(paren, `${word}[${of}] holds something else`);
}

function object(text: string, from: number, depth: number): Parsed {
  let end = skipSpace(text, from);
  const start = end;
  while (isWordCharacter(text.charCodeAt(end))) end++;
  const type = text.slice(start, end);
  const next = skipSpace(text, end);
  if (text[next] === ")") return { value: { kind: "object", type, entries: [] }, end: next + 1 };
  if (text[next] !== ",") throw new Malformed(next, "an object has no properties");
  const inner = map(text, next + 1, ")", depth);
  return { value: { kind: "object", type, entries: inner.entries }, end: inner.end };
}

function list(text: string, from: number, close: string, depth: number): { items: Variant[]; end: number } {
  const items: Variant[] = [];
  let at = skipSpace(text, from);
  while (text[at] !== close) {
    const item = valueAt(text, at, depth + 1);
    items.push(item.value);
    at = afterComma(text, item.end, close);
  }
  return { items, end: at + 1 };
}

function map(text: string, from: number, close: string, depth: number): { entries: Entry[]; end: number } {
  const found: Entry[] = [];
  let at = skipSpace(text, from);
  while (text[at] !== close) {
    const key = valueAt(text, at, depth + 1);
    const colon = skipSpace(text, key.end);
    if (text[colon] !== ":") throw new Malformed(colon, "a key has no value");
    const value = valueAt(text, skipSpace(text, colon + 1), depth + 1);
    found.push([key.value, value.value]);
    at = afterComma(text, value.end, close);
  }
  return { entries: found, end: at + 1 };
}

function afterComma(text: string, from: number, close: string): number {
  const at = skipSpace(text, from);
  if (text[at] === ",") return skipSpace(text, at + 1);
  if (text[at] !== close) throw new Malformed(at, `a comma or ${close} is missing`);
  return at;
}
