import { classAt, PATH, PATH_END, QUERY, QUERY_END } from "./char-classes.ts";

/** The end of `:8080` at `at`, or `at` itself when there is none. */
export function portEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== COLON) return at;
  let end = at + 1;
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  return end > at + 1 ? end : at;
}

/** The end of a path: punctuation that trails it belongs to the sentence, a closed pair of brackets to the path. */
export function pathEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== SLASH) return at;
  let end = at + 1;
  for (let next = at + 1; ; ) {
    const unit = text.charCodeAt(next);
    const bits = classAt(text, next);
    if (unit === OPEN) {
      const closed = bracketEnd(text, next);
      if (closed === -1) return end;
      next = end = closed;
    } else if ((bits & PATH) === 0) return end;
    else {
      next++;
      if ((bits & PATH_END) !== 0) end = next;
    }
  }
}

/** The end of `?a=b` at `at`, or `at` itself when there is none. */
export function queryEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUESTION) return at;
  let end = at;
  for (let next = at + 1; ; next++) {
    const bits = classAt(text, next);
    if ((bits & QUERY) === 0) return end;
    if ((bits & QUERY_END) !== 0) end = next + 1;
  }
}

/** X's own short links end behind their code and its query; -1 when the code is longer than any of X's. */
export function tcoEnd(text: string, start: number, domain: string, end: number): number {
  if (domain.length !== 4 || domain.toLowerCase() !== "t.co") return end;
  const link = /^https?:\/\/t\.co\/([a-z0-9]+)/i.exec(text.slice(start, end));
  if (link === null) return end;
  if ((link[1] ?? "").length > MAX_TCO_CODE) return -1;
  return queryEnd(text, start + link[0].length);
}

const COLON = 0x3a;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const OPEN = 0x28;
const CLOSE = 0x29;
const MAX_TCO_CODE = 40;

/** The end of `(path)` or `(pa(t)h)` at `at`, or -1. */
function bracketEnd(text: string, at: number): number {
  const inner = runEnd(text, at + 1);
  if (text.charCodeAt(inner) === CLOSE) return inner > at + 1 ? inner + 1 : -1;
  if (text.charCodeAt(inner) !== OPEN) return -1;
  const innermost = runEnd(text, inner + 1);
  if (innermost === inner + 1 || text.charCodeAt(innermost) !== CLOSE) return -1;
  const last = runEnd(text, innermost + 1);
  return text.charCodeAt(last) === CLOSE ? last + 1 : -1;
}

function runEnd(text: string, at: number): number {
  let end = at;
  while ((classAt(text, end) & PATH) !== 0) end++;
  return end;
}
