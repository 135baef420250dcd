import {
  ASCII,
  classAt,
  commonClasses,
  LATIN_DOMAIN,
  PATH,
  PATH_END,
  QUERY,
  QUERY_END,
} from "./char-classes.ts";
import {
  type Clue,
  DASH,
  DOT,
  domainEnd,
  isDomain,
  latinDomains,
  leftmostDomain,
  mayStartUrl,
  runEnd,
  runStart,
  UNDERSCORE,
} from "./domains.ts";
import type { UrlRange } from "./entities.ts";
import { everyLabelFits, MAX_LABEL_LENGTH } from "./punycode.ts";
import { tldLengthAt } from "./tlds.ts";
import { isAsciiLetter, isWritten, type Units, unitAt, unitsOf } from "./units.ts";

/** From left to right. Work starts at a full stop before a top-level domain, so prose costs almost nothing. */
export function findUrls(text: string): readonly UrlRange[] {
  const found: UrlRange[] = [];
  const barren = { start: 0, end: 0 };
  let from = 0;
  let dot = text.indexOf(".");
  while (dot !== -1) {
    const tld = tldLengthBehind(text, dot);
    if (tld === 0) {
      dot = text.indexOf(".", dot + 1);
      continue;
    }
    const units = unitsOf(text);
    const written = writtenUrlAround(units, from, { dot, tld, limit: text.length, barren });
    if (written.start !== -1) {
      addLinks(found, text, units, written);
      from = written.end;
    }
    dot = text.indexOf(".", written.end);
  }
  return found;
}

/** X may not link it. */
interface WrittenUrl {
  /** Scheme or domain; -1 if there is no link up to `end`. */
  readonly start: number;
  readonly domainStart: number;
  readonly domainEnd: number;
  readonly hasPath: boolean;
  /** Nothing before it is read again. */
  readonly end: number;
}

const SLASH = 0x2f;
const SMALL_X = 0x78;
const MAX_URL_LENGTH = 4096;
const MAX_TCO_CODE = 40;

function tldLengthBehind(text: string, dot: number): number {
  if (dot + 1 >= text.length) return 0;
  const unit = text.charCodeAt(dot + 1);
  const mayBe = isAsciiLetter(unit) || unit >= 0x80;
  return mayBe ? tldLengthAt(unitsOf(text), dot + 1, text.length) : 0;
}

function writtenUrlAround(units: Units, from: number, clue: Clue): WrittenUrl {
  const first = runStart(units, clue.dot, from);
  const scheme = schemeStart(units, first, from);
  if (scheme !== -1 || mayStartUrl(units, first, from)) {
    const end = domainEnd(units, first, clue);
    // A character allowed before a link counts as that first.
    const dropsFirst = first === 0 && mayStartUrl(units, 1, 0) && isDomain(units, 1);
    const domainStart = dropsFirst ? 1 : first;
    if (end !== -1) return withTail(units, scheme === -1 ? domainStart : scheme, domainStart, end);
  }
  const start = leftmostDomain(units, first, from, clue);
  if (start !== -1) return withTail(units, start, start, domainEnd(units, start, clue));
  const end = runEnd(units, clue.dot);
  return { start, domainStart: start, domainEnd: end, hasPath: false, end };
}

function withTail(units: Units, start: number, domainStart: number, domainEnd: number): WrittenUrl {
  const port = portEnd(units, domainEnd);
  const path = pathEnd(units, port);
  return { start, domainStart, domainEnd, hasPath: path > port, end: queryEnd(units, path) };
}

/** -1 if no scheme ends at `end`. */
function schemeStart(units: Units, end: number, from: number): number {
  if (end < 7 || unitAt(units, end - 1) !== SLASH) return -1;
  const isSecure = end > 7 && isWritten("https://", units, end - 8);
  if (!isSecure && !isWritten("http://", units, end - 7)) return -1;
  const start = isSecure ? end - 8 : end - 7;
  return mayStartUrl(units, start, from) ? start : -1;
}

/** Unless too long, or bare and in the wrong place or script. */
function addLinks(found: UrlRange[], text: string, units: Units, written: WrittenUrl): void {
  const { start, domainStart, domainEnd, end } = written;
  const hasScheme = domainStart > start;
  const schemeLength = hasScheme ? domainStart - start : "https://".length;
  if (schemeLength + end - start > MAX_URL_LENGTH) return;
  const common = commonClasses(units, domainStart, domainEnd);
  const isShort = (common & ASCII) !== 0 && domainEnd - domainStart <= MAX_LABEL_LENGTH;
  if (!isShort && !everyLabelFits(text.slice(domainStart, domainEnd))) return;
  if (hasScheme) addLinkWithScheme(found, text, units, written);
  else if (start > 0 && mayNotPrecedeBareDomain(unitAt(units, start - 1))) return;
  else if ((common & LATIN_DOMAIN) === 0) addLatinParts(found, text, units, written);
  else {
    const linkEnd = written.hasPath ? end : domainEnd;
    found.push({ start, end: linkEnd, url: text.slice(start, linkEnd) });
  }
}

function addLinkWithScheme(found: UrlRange[], text: string, units: Units, written: WrittenUrl): void {
  const { start, domainStart, domainEnd } = written;
  const isEncoded = unitAt(units, domainStart) === SMALL_X && text.startsWith("xn--", domainStart);
  if (isEncoded && latinDomains(units, domainStart, domainEnd).length === 0) return;
  const end =
    domainEnd - domainStart === "t.co".length ? tcoEnd(text, units, start, written.end) : written.end;
  if (end !== -1) found.push({ start, end, url: text.slice(start, end) });
}

/** Without a scheme only Latin parts are links, and the last one gets the path. */
function addLatinParts(found: UrlRange[], text: string, units: Units, written: WrittenUrl): void {
  const parts = latinDomains(units, written.start, written.domainEnd);
  let partEnd = written.start;
  for (const [index, part] of parts.entries()) {
    const name = text.slice(part.start, part.end);
    // X finds a part by its text, so it marks the first such place.
    const start = text.indexOf(name, partEnd);
    partEnd = start + name.length;
    const takesPath = written.hasPath && index === parts.length - 1;
    const url = takesPath ? name + text.slice(written.domainEnd, written.end) : name;
    found.push({ start, end: takesPath ? written.end : partEnd, url });
  }
}

function mayNotPrecedeBareDomain(unit: number): boolean {
  return unit === DASH || unit === UNDERSCORE || unit === DOT || unit === SLASH;
}

/** Short links end after their code and query; -1 if the code is too long. */
function tcoEnd(text: string, units: Units, start: number, end: number): number {
  const link = /^https?:\/\/t\.co\/([a-z0-9]+)/i.exec(text.slice(start, end));
  if (link === null) return end;
  if ((link[1] ?? "").length > MAX_TCO_CODE) return -1;
  return queryEnd(units, start + link[0].length);
}

function portEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== COLON) return at;
  let end = at + 1;
  while (unitAt(units, end) >= 0x30 && unitAt(units, end) <= 0x39) end++;
  return end > at + 1 ? end : at;
}

/** Trailing punctuation belongs to the sentence, balanced brackets to the path. */
function pathEnd(units: Units, at: number): number {
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
      // After punctuation, as in `/a.(b)`, brackets count only if the path continues after them.
      if (next === end) end = closed;
      next = closed;
    }
  }
}

function queryEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== QUESTION) return at;
  let end = at;
  for (let next = at + 1; ; next++) {
    const bits = classAt(units, next);
    if ((bits & QUERY) === 0) return end;
    if ((bits & QUERY_END) !== 0) end = next + 1;
  }
}

const COLON = 0x3a;
const QUESTION = 0x3f;
const OPEN = 0x28;
const CLOSE = 0x29;

/** -1 without such a part. */
function bracketEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== OPEN) return -1;
  const inner = pathRunEnd(units, at + 1);
  if (unitAt(units, inner) === CLOSE) return inner > at + 1 ? inner + 1 : -1;
  if (unitAt(units, inner) !== OPEN) return -1;
  const innermost = pathRunEnd(units, inner + 1);
  if (innermost === inner + 1 || unitAt(units, innermost) !== CLOSE) return -1;
  const last = pathRunEnd(units, innermost + 1);
  return unitAt(units, last) === CLOSE ? last + 1 : -1;
}

function pathRunEnd(units: Units, at: number): number {
  let end = at;
  while ((classAt(units, end) & PATH) !== 0) end++;
  return end;
}
