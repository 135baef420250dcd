/** A token of a GDScript. `space` between tokens is skipped; the end of a line is not a token. */
export type TokenKind = "word" | "text" | "number" | "mark" | "comment" | "path" | "end";

const NEWLINE = 10;
const DOUBLE = 34;
const HASH = 35;
const DOLLAR = 36;
const PERCENT = 37;
const AMPERSAND = 38;
const SINGLE = 39;
const SLASH = 47;
const BACKSLASH = 92;
const CARET = 94;

/**
 * Walks over the tokens of a GDScript without allocating any: a script may have megabytes, and a project thousands of
 * scripts. Written by hand because a regular expression overflows its stack on such a text.
 *
 * `$A/B`, `$"A b"`, `%Unique` are one token of kind `path`; `&"name"` and `^"path"` are texts.
 */
export class ScriptTokens {
  readonly source: string;
  kind: TokenKind = "end";
  start = 0;
  end = 0;
  /** 1-based. */
  line = 1;
  /** Offset at which the line of the token begins. */
  lineStart = 0;
  isFirst = true;
  private at: number;
  private nextLine = 1;
  private nextLineStart = 0;
  private fresh = true;
  /** Whether the previous token ends a value, after which % is the remainder operator and not a node. */
  private afterValue = false;

  constructor(source: string) {
    this.source = source;
    this.at = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  /** False at the end. */
  next(): boolean {
    const { source } = this;
    let at = this.at;
    let code = source.charCodeAt(at);
    // Spaces, line ends, and a backslash that continues a line.
    while (code <= 32 || code === BACKSLASH) {
      at++;
      if (code === NEWLINE) {
        this.nextLine++;
        this.nextLineStart = at;
        this.fresh = true;
        this.afterValue = false;
      }
      code = source.charCodeAt(at);
    }
    this.start = at;
    this.line = this.nextLine;
    this.lineStart = this.nextLineStart;
    this.isFirst = this.fresh;
    this.fresh = false;
    if (at >= source.length) {
      this.kind = "end";
      this.end = this.at = at;
      return false;
    }
    this.kind = this.read(at, code);
    this.at = this.end;
    if (this.kind === "word") this.afterValue = !BEFORE_VALUE.has(this.text());
    else if (this.kind === "mark") this.afterValue = code === 41 || code === 93 || code === 125;
    else if (this.kind !== "comment") this.afterValue = true;
    return true;
  }

  text(): string {
    return this.source.slice(this.start, this.end);
  }

  /** The value of a text or a quoted path, without marks and quotes; escapes are left as they are. */
  value(): string {
    const { from, to } = this.inside();
    return this.source.slice(from, to);
  }

  inside(): { readonly from: number; readonly to: number } {
    let from = this.start;
    let code = this.source.charCodeAt(from);
    if (this.kind === "path" && code === PERCENT && !isQuote(this.source.charCodeAt(from + 1)))
      return { from, to: this.end };
    while (!isQuote(code) && from < this.end) {
      if (this.kind === "path" && code === DOLLAR && !isQuote(this.source.charCodeAt(from + 1)))
        return { from: from + 1, to: this.end };
      code = this.source.charCodeAt(++from);
    }
    const quotes = this.isTripled(from) ? 3 : 1;
    return { from: from + quotes, to: Math.max(from + quotes, this.end - quotes) };
  }

  private read(at: number, code: number): TokenKind {
    const { source } = this;
    if (isWordStart(code)) {
      this.end = endOfWord(source, at);
      // r"raw text"
      if (code === 114 && this.end === at + 1 && isQuote(source.charCodeAt(this.end))) {
        this.end = this.endOfText(this.end, true);
        return "text";
      }
      return "word";
    }
    if (code === HASH) {
      const end = source.indexOf("\n", at);
      this.end = end === -1 ? source.length : end;
      return "comment";
    }
    if (isQuote(code)) {
      this.end = this.endOfText(at, false);
      return "text";
    }
    if ((code === AMPERSAND || code === CARET) && isQuote(source.charCodeAt(at + 1))) {
      this.end = this.endOfText(at + 1, false);
      return "text";
    }
    if (code === DOLLAR || (code === PERCENT && !this.afterValue)) {
      const first = source.charCodeAt(at + 1);
      if (isQuote(first)) {
        this.end = this.endOfText(at + 1, false);
        return "path";
      }
      const end = endOfPath(source, at + (code === DOLLAR ? 1 : 0));
      if (end > at + 1) {
        this.end = end;
        return "path";
      }
    }
    if (code >= 48 && code <= 57) {
      this.end = endOfNumber(source, at);
      return "number";
    }
    this.end = at + 1;
    return "mark";
  }

  private endOfText(from: number, isRaw: boolean): number {
    const { source } = this;
    const quote = source.charCodeAt(from);
    const tripled = this.isTripled(from);
    for (let at = from + (tripled ? 3 : 1); at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === BACKSLASH && !(isRaw && source.charCodeAt(at + 1) !== quote)) at++;
      else if (code === NEWLINE) {
        // An unclosed string ends with its line, so one mistake does not hide the rest of the script.
        if (!tripled) return at;
        this.nextLine++;
        this.nextLineStart = at + 1;
      } else if (
        code === quote &&
        (!tripled || (source.charCodeAt(at + 1) === quote && source.charCodeAt(at + 2) === quote))
      )
        return at + (tripled ? 3 : 1);
    }
    return source.length;
  }

  private isTripled(at: number): boolean {
    const quote = this.source.charCodeAt(at);
    return this.source.charCodeAt(at + 1) === quote && this.source.charCodeAt(at + 2) === quote;
  }
}

/** Words after which a value begins. */
const BEFORE_VALUE = new Set(
  "return in and or not if elif while await else match when is as assert yield var const extends".split(" "),
);

function isQuote(code: number): boolean {
  return code === DOUBLE || code === SINGLE;
}

function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127;
}

function endOfWord(source: string, from: number): number {
  let at = from;
  for (let code = source.charCodeAt(at); isWordStart(code) || (code >= 48 && code <= 57); )
    code = source.charCodeAt(++at);
  return at;
}

/** The end of a path such as `A/%B/C`; `from` itself if there is none. */
function endOfPath(source: string, from: number): number {
  let end = from;
  for (let at = from; ; ) {
    if (source.charCodeAt(at) === PERCENT) at++;
    if (!isWordStart(source.charCodeAt(at))) return end;
    end = endOfWord(source, at);
    if (source.charCodeAt(end) !== SLASH) return end;
    at = end + 1;
  }
}

function endOfNumber(source: string, from: number): number {
  let at = from;
  for (;;) {
    const code = source.charCodeAt(at);
    const isPart = (code >= 48 && code <= 57) || code === 46 || isWordStart(code);
    const isSign =
      (code === 43 || code === 45) && /[eE]/.test(source[at - 1] ?? "") && source[from + 1] !== "x";
    // `1..2` and `1.max` do not exist: a point belongs to the number.
    if (!isPart && !isSign) return at;
    at++;
  }
}
