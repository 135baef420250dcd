/** Thrown while a text is scanned; `parseDocument` and `parseVariant` turn it into a failure. */
export class Malformed extends Error {
  override readonly name = "Malformed";
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const SEMICOLON = 59;
const BACKSLASH = 92;

/** Real scenes are not nested deeper. */
const MAX_DEPTH = 200;

/** The end of the value that begins at `from`. Nothing is allocated, so megabytes of mesh data cost little. */
export function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfString(text, from);
  // &"name", ^"path" and @"name"
  if ((first === 38 || first === 94 || first === 64) && text.charCodeAt(from + 1) === QUOTE)
    return endOfString(text, from + 1);
  if (isOpening(first)) return endOfGroup(text, from);
  let at = from;
  while (isWordCharacter(text.charCodeAt(at))) at++;
  if (at === from) throw new Malformed(from, "a value is missing");
  // `Array[String]([…])` and `Vector2(1, 2)`
  for (;;) {
    const next = skipBlanks(text, at);
    const code = text.charCodeAt(next);
    if (code !== 40 && code !== 91) return at;
    at = endOfGroup(text, next);
  }
}

export function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  throw new Malformed(from, "a text is not closed");
}

function endOfGroup(text: string, from: number): number {
  const open: number[] = [];
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === SEMICOLON) at = endOfLine(text, at) - 1;
    else if (isOpening(code)) {
      // ( closes with the next code point, [ and { with the one after.
      open.push(code === 40 ? 41 : code + 2);
      if (open.length > MAX_DEPTH) throw new Malformed(at, `brackets are nested deeper than ${MAX_DEPTH}`);
    } else if (code === 41 || code === 93 || code === 125) {
      if (open.pop() !== code) throw new Malformed(at, "a bracket closes another's group");
      if (open.length === 0) return at + 1;
    }
  }
  throw new Malformed(from, "a bracket is not closed");
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === 9) at++;
  return at;
}

/** Skips spaces, line ends and comments. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === SEMICOLON) at = endOfLine(text, at);
    else if (code <= SPACE) at++;
    else return at;
  }
}

export function endOfLine(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found === -1 ? text.length : found + 1;
}

/** Skips the rest of a line if it holds only blanks, a comment and the line ending; stops at anything else. */
export function endOfRest(text: string, from: number): number {
  const at = skipBlanks(text, from);
  const code = text.charCodeAt(at);
  if (code === SEMICOLON) return endOfLine(text, at);
  if (code === NEWLINE) return at + 1;
  if (code === RETURN && text.charCodeAt(at + 1) === NEWLINE) return at + 2;
  return at;
}

export function isWordCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 || // _
    code === 46 || // .
    code === 43 || // +
    code === 45 || // -
    code === 35 || // #
    code > 127
  );
}

function isOpening(code: number): boolean {
  return code === 40 || code === 91 || code === 123;
}

export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return line;
}
