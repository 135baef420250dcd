import { asciiTlds, internationalTlds } from "./tables.gen.ts";

/** Length of the top-level domain that `text` has at `at`, or 0 when there is none. */
export function tldLengthAt(text: string, at: number): number {
  let end = at;
  while (isAsciiLetter(text.charCodeAt(end))) end++;
  if (end > at) {
    if (mayFollowTld(text.charCodeAt(end)) && ascii.has(text.slice(at, end).toLowerCase())) return end - at;
    if (end === at + 2 && text.charCodeAt(end) === DASH) return punycodeLengthAt(text, at);
  }
  // Reached by plain prose at every full stop: only a letter beyond ASCII can still make a name.
  return text.charCodeAt(end) >= 0x80 ? internationalLengthAt(text, at) : 0;
}

const DASH = 0x2d;

const ascii = new Set(asciiTlds.split(" "));

/** International names by their first code unit, in upper case as the rules compare them. */
const international = Map.groupBy(internationalTlds.split(" ").map(upperUnits), (tld) => tld.charCodeAt(0));

function internationalLengthAt(text: string, at: number): number {
  const candidates = international.get(upperUnit(text.charCodeAt(at)));
  if (candidates === undefined) return 0;
  const fits = (tld: string): boolean =>
    mayFollowTld(text.charCodeAt(at + tld.length)) && upperUnits(text.slice(at, at + tld.length)) === tld;
  return candidates.find(fits)?.length ?? 0;
}

function punycodeLengthAt(text: string, at: number): number {
  if (text.slice(at, at + 4).toLowerCase() !== "xn--") return 0;
  let end = at + 4;
  while (
    isAsciiLetter(text.charCodeAt(end)) ||
    isDigit(text.charCodeAt(end)) ||
    text.charCodeAt(end) === DASH
  )
    end++;
  return end > at + 4 ? end - at : 0;
}

/** `unit` is NaN behind the end of the text. */
function mayFollowTld(unit: number): boolean {
  return !(isAsciiLetter(unit) || isDigit(unit) || unit === 0x40 || unit === 0x2b || unit === DASH);
}

function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function upperUnits(text: string): string {
  let upper = "";
  for (let at = 0; at < text.length; at++) upper += String.fromCharCode(upperUnit(text.charCodeAt(at)));
  return upper;
}

/** Case is ignored unit by unit; a letter beyond ASCII never equals one within it, as K and the Kelvin sign. */
function upperUnit(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  if (upper.length !== 1 || (unit >= 0x80 && upper.charCodeAt(0) < 0x80)) return unit;
  return upper.charCodeAt(0);
}
