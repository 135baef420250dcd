import { asciiTlds, internationalTlds } from "./tables.gen.ts";
import { beforeFirstText, isAsciiLetter, isWritten, type Units, unitAt } from "./units.ts";

/** 0 if there is none. */
export function tldLengthAt(units: Units, at: number, limit: number): number {
  let hash = 0;
  let end = at;
  for (; end < limit && isAsciiLetter(unitAt(units, end)); end++) hash = nextHash(hash, unitAt(units, end));
  if (end > at) {
    const tld = asciiByHash.get(hash);
    if (tld?.length === end - at && endsWell(units, end, limit) && isWritten(tld, units, at)) return end - at;
    if (end === at + 2 && unitAt(units, end) === DASH) return punycodeLengthAt(units, at, limit);
  }
  // Only a non-ASCII letter can still start a name.
  return end < limit && unitAt(units, end) >= 0x80 ? internationalLengthAt(units, at, limit) : 0;
}

const DASH = 0x2d;
const PLUS = 0x2b;
const AT_SIGN = 0x40;

/** A test proves that no two names share a hash. */
let asciiByHash: ReadonlyMap<number, string> = new Map();

/** Upper case, to ignore case. */
let byFirstUnit: ReadonlyMap<number, readonly string[]> = new Map();
let upperByFirstUnit: ReadonlyMap<number, readonly string[]> = new Map();

beforeFirstText(() => {
  asciiByHash = new Map(asciiTlds.split(" ").map((tld) => [hashOf(tld), tld]));
  const names = internationalTlds.split(" ");
  byFirstUnit = Map.groupBy(names, (tld) => tld.charCodeAt(0));
  upperByFirstUnit = Map.groupBy(names.map(upperWord), (tld) => tld.charCodeAt(0));
});

function hashOf(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = nextHash(hash, word.charCodeAt(at));
  return hash;
}

function nextHash(hash: number, letter: number): number {
  return (Math.imul(hash, 31) + (letter | 0x20)) & 0x3fffffff;
}

function internationalLengthAt(units: Units, at: number, limit: number): number {
  const first = unitAt(units, at);
  for (const tld of byFirstUnit.get(first) ?? []) {
    if (endsWell(units, at + tld.length, limit) && isWritten(tld, units, at)) return tld.length;
  }
  for (const tld of upperByFirstUnit.get(upper(first)) ?? []) {
    const word = units.subarray(at, at + tld.length);
    if (endsWell(units, at + tld.length, limit) && upperWord(String.fromCharCode(...word)) === tld)
      return tld.length;
  }
  return 0;
}

function punycodeLengthAt(units: Units, at: number, limit: number): number {
  if (limit < at + 4 || !isWritten("xn--", units, at)) return 0;
  let end = at + 4;
  while (end < limit && isPunycode(unitAt(units, end))) end++;
  return end > at + 4 ? end - at : 0;
}

function isPunycode(unit: number): boolean {
  return isAsciiLetter(unit) || isDigit(unit) || unit === DASH;
}

function endsWell(units: Units, at: number, limit: number): boolean {
  if (at >= limit) return at === limit;
  const unit = unitAt(units, at);
  return !(isAsciiLetter(unit) || isDigit(unit) || unit === AT_SIGN || unit === PLUS || unit === DASH);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function upperWord(word: string): string {
  let upperCase = "";
  for (let at = 0; at < word.length; at++) upperCase += String.fromCharCode(upper(word.charCodeAt(at)));
  return upperCase;
}

/** Plain `toUpperCase` makes K equal the Kelvin sign. */
function upper(unit: number): number {
  const letter = String.fromCharCode(unit).toUpperCase();
  const code = letter.charCodeAt(0);
  return letter.length !== 1 || (unit >= 0x80 && code < 0x80) ? unit : code;
}
