import { BEFORE_URL, classAt, DOMAIN, LATIN_DOMAIN } from "./char-classes.ts";
import { fitsInDns } from "./punycode.ts";
import { tldLengthAt } from "./tlds.ts";
import { pathEnd, portEnd, queryEnd, tcoEnd } from "./url-tail.ts";

/** A link that X shortens, wherever it is written in full or only as a domain. */
export interface FoundUrl {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/**
 * The links in a text, left to right. A link needs a domain with a known top-level domain; the scheme may be
 * left out. Work starts at each full stop that such a name follows, so prose without one costs next to nothing.
 */
export function findUrls(text: string): FoundUrl[] {
  const found: FoundUrl[] = [];
  let from = 0;
  let dot = text.indexOf(".");
  while (dot !== -1) {
    if (tldLengthAt(text, dot + 1) === 0) {
      dot = text.indexOf(".", dot + 1);
      continue;
    }
    const written = writtenUrlAround(text, dot, from);
    if (written.domainStart !== -1) {
      found.push(...linksOf(text, written));
      from = written.end;
    }
    dot = text.indexOf(".", written.end);
  }
  return found;
}

/** What reads as a link; whether X makes a link of it is decided after. */
interface WrittenUrl {
  /** -1 when there is none up to `end`. */
  readonly domainStart: number;
  readonly domainEnd: number;
  /** Where the scheme starts, or the domain when it has none. */
  readonly start: number;
  /** Behind port, path and query. Nothing before it is looked at again. */
  readonly end: number;
  readonly hasPath: boolean;
}

const DOT = 0x2e;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;
const MAX_URL_LENGTH = 4096;

function writtenUrlAround(text: string, dot: number, from: number): WrittenUrl {
  let first = dot;
  while (first > from && isDomainOrJoint(text, first - 1)) first--;

  const scheme = schemeStart(text, first);
  if (scheme !== -1 && mayStartUrl(text, scheme, from)) {
    const end = domainEndFrom(text, first);
    if (end !== -1) return withTail(text, scheme, first, end);
  }
  const { domainStart, end } = leftmostDomain(text, first, from);
  if (domainStart === -1) return { domainStart, domainEnd: end, start: end, end, hasPath: false };
  return withTail(text, domainStart, domainStart, domainEndFrom(text, domainStart));
}

function withTail(text: string, start: number, domainStart: number, domainEnd: number): WrittenUrl {
  const port = portEnd(text, domainEnd);
  const path = pathEnd(text, port);
  return { domainStart, domainEnd, start, end: queryEnd(text, path), hasPath: path > port };
}

function mayStartUrl(text: string, at: number, from: number): boolean {
  return at === 0 || (at > from && (classAt(text, at - 1) & BEFORE_URL) !== 0);
}

/**
 * Finds where the leftmost domain in a run of domain characters starts. `open` is the leftmost place from which
 * every label so far is sound; a label with an underscore cannot be the one before the top-level domain, but
 * what follows its underscore can.
 */
function leftmostDomain(text: string, first: number, from: number): { domainStart: number; end: number } {
  let best = -1;
  let open = -1;
  let labelStart = first;
  let labelOpen = -1;
  let nameOpen = -1;
  let hasUnderscore = false;
  let at = first;
  for (; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === UNDERSCORE) {
      nameOpen = -1;
      hasUnderscore = true;
    } else if (unit === DOT) {
      const endsWell = at > labelStart && isDomain(text, at - 1);
      const continues = endsWell && open !== -1 && isDomain(text, labelStart);
      if (endsWell && tldLengthAt(text, at + 1) > 0) {
        const start = continues && !hasUnderscore ? open : nameOpen;
        if (start !== -1 && (best === -1 || start < best)) best = start;
      }
      if (!continues) open = endsWell ? labelOpen : -1;
      if (best !== -1 && (open === -1 || open >= best)) break;
      labelStart = at + 1;
      labelOpen = -1;
      nameOpen = -1;
      hasUnderscore = false;
    } else if (isDomain(text, at)) {
      if (nameOpen === -1 && mayStartUrl(text, at, from)) {
        nameOpen = at;
        if (labelOpen === -1) labelOpen = at;
      }
    } else if (unit !== DASH) break;
  }
  // What may stand before a link is looked for first, even where the text starts with it.
  const dropsFirst = best === 0 && mayStartUrl(text, 1, 0) && isDomain(text, 1);
  return { domainStart: dropsFirst ? 1 : best, end: at };
}

/** The end of the domain that starts here: behind the last top-level domain that its labels reach, or -1. */
function domainEndFrom(text: string, start: number): number {
  let end = -1;
  let labelStart = start;
  let hasUnderscore = false;
  for (let at = start; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === DOT) {
      if (at === labelStart || !isDomain(text, labelStart) || !isDomain(text, at - 1)) return end;
      const tld = hasUnderscore ? 0 : tldLengthAt(text, at + 1);
      if (tld > 0) end = at + 1 + tld;
      labelStart = at + 1;
      hasUnderscore = false;
    } else if (unit === UNDERSCORE) hasUnderscore = true;
    else if (unit !== DASH && !isDomain(text, at)) return end;
  }
}

function linksOf(text: string, written: WrittenUrl): FoundUrl[] {
  const { start, domainStart, domainEnd, end } = written;
  const domain = text.slice(domainStart, domainEnd);
  const latin = latinDomains(domain);
  if (domain.startsWith("xn--") && latin.length === 0) return [];
  const schemeLength = domainStart > start ? domainStart - start : "https://".length;
  if (schemeLength + end - start > MAX_URL_LENGTH || !domain.split(".").every(fitsInDns)) return [];

  if (domainStart > start) {
    const linkEnd = tcoEnd(text, start, domain, end);
    return linkEnd === -1 ? [] : [{ start, end: linkEnd, url: text.slice(start, linkEnd) }];
  }
  if (start > 0 && "-_./".includes(text.charAt(start - 1))) return [];
  // Without a scheme only the Latin parts of a domain are links, and only the last takes the path.
  return latin.map(([nameStart, nameEnd], index) => {
    const name = domain.slice(nameStart, nameEnd);
    if (!written.hasPath || index < latin.length - 1)
      return { start: start + nameStart, end: start + nameEnd, url: name };
    return { start: start + nameStart, end, url: name + text.slice(domainEnd, end) };
  });
}

/** Start and end of each domain that is written in Latin letters, within a domain. */
function latinDomains(domain: string): [number, number][] {
  const found: [number, number][] = [];
  let at = 0;
  while (at < domain.length) {
    if (!isLatin(domain, at)) {
      at++;
      continue;
    }
    const start = at;
    let end = -1;
    for (; isLatin(domain, at); at++) {
      if (domain.charCodeAt(at + 1) !== DOT) continue;
      at++;
      const tld = tldLengthAt(domain, at + 1);
      if (tld > 0) end = at + 1 + tld;
    }
    if (end !== -1) {
      found.push([start, end]);
      at = end;
    }
  }
  return found;
}

function schemeStart(text: string, end: number): number {
  if (text.charCodeAt(end - 1) !== 0x2f || text.charCodeAt(end - 2) !== 0x2f) return -1;
  if (text.slice(end - 7, end).toLowerCase() === "http://") return end - 7;
  return text.slice(end - 8, end).toLowerCase() === "https://" ? end - 8 : -1;
}

function isDomainOrJoint(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === DOT || unit === DASH || unit === UNDERSCORE || isDomain(text, at);
}

function isDomain(text: string, at: number): boolean {
  return (classAt(text, at) & DOMAIN) !== 0;
}

function isLatin(text: string, at: number): boolean {
  return (classAt(text, at) & LATIN_DOMAIN) !== 0;
}
