import { classAt, LATIN_DOMAIN, NOT_BEFORE_URL, NOT_IN_DOMAIN, NOT_IN_DOMAIN_RUN } from "./char-classes.ts";
import { tldLengthAt } from "./tlds.ts";
import { type Units, unitAt } from "./units.ts";

export const DOT = 0x2e;
export const DASH = 0x2d;
export const UNDERSCORE = 0x5f;

/** The start of the run around `dot`, not before `from`. */
export function runStart(units: Units, dot: number, from: number): number {
  let first = dot;
  while (first > from && (classAt(units, first - 1) & NOT_IN_DOMAIN_RUN) === 0) first--;
  return first;
}

export function runEnd(units: Units, dot: number): number {
  let end = dot;
  while ((classAt(units, end) & NOT_IN_DOMAIN_RUN) === 0) end++;
  return end;
}

/** `from` is the end of the previous link. */
export function mayStartUrl(units: Units, at: number, from: number): boolean {
  return at === 0 || (at > from && (classAt(units, at - 1) & NOT_BEFORE_URL) === 0);
}

/** The first full stop before a top-level domain. */
export interface Clue {
  readonly dot: number;
  readonly tld: number;
  readonly limit: number;
  readonly barren: BarrenStretch;
}

/** No full stop in it leads to another top-level domain. Without it, each domain would be followed to the end. */
export interface BarrenStretch {
  start: number;
  end: number;
}

/**
 * The leftmost domain in a run, or -1. From `open` on, all labels are valid. Only the part after a label's
 * underscore can precede the top-level domain.
 */
export function leftmostDomain(units: Units, first: number, from: number, clue: Clue): number {
  let best = -1;
  let open = -1;
  let labelStart = first;
  let labelOpen = -1;
  let nameOpen = -1;
  let hasUnderscore = false;
  for (let at = first; ; at++) {
    const unit = unitAt(units, at);
    if (isDomain(units, at)) {
      if (nameOpen === -1 && mayStartUrl(units, at, from)) {
        nameOpen = at;
        if (labelOpen === -1) labelOpen = at;
      }
    } else if (unit === UNDERSCORE) {
      nameOpen = -1;
      hasUnderscore = true;
    } else if (unit === DOT) {
      const endsWell = at > labelStart && isDomain(units, at - 1);
      const continues = endsWell && open !== -1 && isDomain(units, labelStart);
      if (endsWell && tldBehind(units, at, clue) > 0) {
        const start = continues && !hasUnderscore ? open : nameOpen;
        if (start !== -1 && (best === -1 || start < best)) best = start;
      }
      if (!continues) open = endsWell ? labelOpen : -1;
      if (best !== -1) {
        const mayReachFurther = open !== -1 && open < best && !isBarren(at, clue);
        return mayReachFurther && domainEnd(units, at + 1, clue) !== -1 ? open : best;
      }
      labelStart = at + 1;
      labelOpen = -1;
      nameOpen = -1;
      hasUnderscore = false;
    } else if (unit !== DASH) return best;
  }
}

function tldBehind(units: Units, dot: number, clue: Clue): number {
  if (dot > clue.dot) return tldLengthAt(units, dot + 1, clue.limit);
  return dot === clue.dot ? clue.tld : 0;
}

/** After the last top-level domain its labels reach, or -1. */
export function domainEnd(units: Units, start: number, clue: Clue): number {
  let end = -1;
  let barrenStart = -1;
  let labelStart = start;
  let hasUnderscore = false;
  let at = start;
  for (; ; at++) {
    while (isDomain(units, at)) at++;
    const unit = unitAt(units, at);
    if (unit === UNDERSCORE) hasUnderscore = true;
    else if (unit === DOT) {
      if (at === labelStart || !isDomain(units, labelStart) || !isDomain(units, at - 1)) break;
      const tld = hasUnderscore ? 0 : tldBehind(units, at, clue);
      if (tld > 0) end = at + 1 + tld;
      if (isBarren(at, clue)) return end;
      if (tld > 0 || barrenStart === -1) barrenStart = at;
      labelStart = at + 1;
      hasUnderscore = false;
    } else if (unit !== DASH) break;
  }
  if (barrenStart !== -1) {
    clue.barren.start = barrenStart;
    clue.barren.end = at;
  }
  return end;
}

function isBarren(dot: number, { barren }: Clue): boolean {
  return dot >= barren.start && dot < barren.end;
}

/** Latin except for their top level. */
export function latinDomains(units: Units, start: number, end: number): readonly Part[] {
  const found: Part[] = [];
  let at = start;
  while (at < end) {
    if (!isLatin(units, at)) {
      at++;
      continue;
    }
    const partStart = at;
    let partEnd = -1;
    for (; at < end && isLatin(units, at); at++) {
      if (at + 1 >= end || unitAt(units, at + 1) !== DOT) continue;
      at++;
      const tld = tldLengthAt(units, at + 1, end);
      if (tld > 0) partEnd = at + 1 + tld;
    }
    if (partEnd !== -1) {
      found.push({ start: partStart, end: partEnd });
      at = partEnd;
    }
  }
  return found;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

export function isDomain(units: Units, at: number): boolean {
  return (classAt(units, at) & NOT_IN_DOMAIN) === 0;
}

function isLatin(units: Units, at: number): boolean {
  return (classAt(units, at) & LATIN_DOMAIN) !== 0 && unitAt(units, at) !== DOT;
}
