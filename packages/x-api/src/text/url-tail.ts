import { classAt, PATH, PATH_END, QUERY, QUERY_END } from "./char-classes.ts";
import { type Units, unitAt } from "./units.ts";

/** The end of `:8080` at `at`, or `at` itself when there is none. */
export function portEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== COLON) return at;
  let end = at + 1;
  while (unitAt(units, end) >= 0x30 && unitAt(units, end) <= 0x39) end++;
  return end > at + 1 ? end : at;
}

/** The end of a path: punctuation that trails it belongs to the sentence, a closed pair of brackets next to it to the path. */
export function pathEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== SLASH) return at;
  let end = at + 1;
  for (let next = at + 1; ; ) {
    const bits = classAt(units, next);
    if ((bits & PATH) !== 0) {
      next++;
      if ((bits & PATH_END) !== 0) end = next;
    } else {
      const closed = bracketEnd(units, next);
      if (closed === -1) return end;
      // After punctuation, as in `/a.(b)`, brackets count only if the path goes on behind them.
      if (next === end) end = closed;
      next = closed;
    }
  }
}

/** The end of `?a=b` at `at`, or `at` itself when there is none. */
export function queryEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== QUESTION) return at;
  let end = at;
  for (let next = at + 1; ; next++) {
    const bits = classAt(units, next);
    if ((bits & QUERY) === 0) return end;
    if ((bits & QUERY_END) !== 0) end = next + 1;
  }
}

const COLON = 0x3a;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const OPEN = 0x28;
const CLOSE = 0x29;

/** The end of `(path)` or `(pa(t)h)` at `at`, or -1. */
function bracketEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== OPEN) return -1;
  const inner = runEnd(units, at + 1);
  if (unitAt(units, inner) === CLOSE) return inner > at + 1 ? inner + 1 : -1;
  if (unitAt(units, inner) !== OPEN) return -1;
  const innermost = runEnd(units, inner + 1);
  if (innermost === inner + 1 || unitAt(units, innermost) !== CLOSE) return -1;
  const last = runEnd(units, innermost + 1);
  return unitAt(units, last) === CLOSE ? last + 1 : -1;
}

function runEnd(units: Units, at: number): number {
  let end = at;
  while ((classAt(units, end) & PATH) !== 0) end++;
  return end;
}
