import { addBits, isWithin, oneOf, paint, type Ranges, rangesOf, within } from "./ranges.ts";
import {
  astralHashtagLetters,
  astralHashtagNumerals,
  cyrillicAnyCase,
  hashtagLetters,
  hashtagNumerals,
  latinAccents,
  latinAccentsAnyCase,
} from "./tables.gen.ts";
import { beforeFirstText, type Units } from "./units.ts";

/** Bits of `classAt`. */
export const NOT_IN_DOMAIN = 1 << 0;
/** Without the full stop, dash and underscore, which join parts. */
export const NOT_IN_DOMAIN_RUN = 1 << 1;
export const NOT_BEFORE_URL = 1 << 2;
export const NOT_BEFORE_MENTION = 1 << 3;
export const LATIN_DOMAIN = 1 << 4;
export const PATH = 1 << 5;
export const PATH_END = 1 << 6;
export const QUERY = 1 << 7;
export const QUERY_END = 1 << 8;
export const HASHTAG = 1 << 9;
export const HASHTAG_LETTER = 1 << 10;
export const HANDLE = 1 << 11;
export const BEFORE_CASHTAG = 1 << 12;
export const AFTER_CASHTAG = 1 << 13;
export const ASCII = 1 << 14;

/** A table lookup is faster than a regular expression. */
export function classAt(units: Units, at: number): number {
  // The table has every unit, and readers stop at the final newline.
  return charClass[units[at] as number] as number;
}

/** Classes that all units of a range share. */
export function commonClasses(units: Units, start: number, end: number): number {
  let common = -1;
  for (let at = start; at < end; at++) common &= classAt(units, at);
  return common;
}

export function isLatinAccent(unit: number): boolean {
  return isWithin(accents, unit);
}

/** Only hashtags have any there. */
export function astralClass(point: number): number {
  if (isWithin(astralLetters, point)) return HASHTAG | HASHTAG_LETTER;
  return isWithin(astralNumerals, point) ? HASHTAG : 0;
}

const charClass = new Uint16Array(0x10000);
let accents: Ranges = [];
let astralLetters: Ranges = [];
let astralNumerals: Ranges = [];

beforeFirstText(() => {
  classify(charClass);
  accents = rangesOf(latinAccents);
  astralLetters = rangesOf(astralHashtagLetters);
  astralNumerals = rangesOf(astralHashtagNumerals);
});

function classify(table: Uint16Array): void {
  // First, because these are most characters.
  paint(table, HASHTAG | HASHTAG_LETTER, rangesOf(hashtagLetters));
  paint(table, HASHTAG, rangesOf(hashtagNumerals));
  const add = (bits: number, ...sets: readonly Ranges[]): void => addBits(table, bits, ...sets);

  const lettersAndDigits = within("az", "AZ", "09");
  const spaces = within("\t\r", "  ", "\x85\x85", "\xa0\xa0", "\u1680\u1680", "\u180e\u180e").concat(
    within("\u2000\u200a", "\u2028\u2029", "\u202f\u202f", "\u205f\u205f", "\u3000\u3000"),
  );
  const javaScriptSpaces = within("\t\r", "  ", "\xa0\xa0", "\u1680\u1680", "\u2000\u200a").concat(
    within("\u2028\u2029", "\u202f\u202f", "\u205f\u205f", "\u3000\u3000", "\ufeff\ufeff"),
  );
  const directionMarks = within("\u202a\u202e", "\u061c\u061c", "\u200e\u200f", "\u2066\u2069");
  const forbidden = oneOf("\ufffe\ufeff\uffff");
  const joints = oneOf(".-_");
  const punctuation = oneOf("!'#%&()*+,\\/:;<=>?@[]^{|}~$");
  // The URL rules ignore case, which adds a few letters whose other case is accented.
  const accentsAnyCase = rangesOf(latinAccentsAnyCase);
  const cyrillic = rangesOf(cyrillicAnyCase);

  add(NOT_IN_DOMAIN | NOT_IN_DOMAIN_RUN, punctuation, spaces, forbidden, directionMarks);
  add(NOT_IN_DOMAIN, joints);
  add(NOT_BEFORE_URL, lettersAndDigits, oneOf("@＠$#＃"), forbidden);
  add(NOT_BEFORE_MENTION, lettersAndDigits, oneOf("_!#$%&*@＠"));

  add(LATIN_DOMAIN, lettersAndDigits, oneOf(".-"), accentsAnyCase);
  add(PATH, lettersAndDigits, oneOf("!*';:=+,.$/%#[]-–_~@|&"), cyrillic, accentsAnyCase);
  add(PATH_END, lettersAndDigits, oneOf("+-=_#/"), cyrillic, accentsAnyCase);
  add(QUERY, lettersAndDigits, oneOf("!?*'@();:&=+$/%#[]-_.,~|"));
  add(QUERY_END, lettersAndDigits, oneOf("-_&=#/"));

  add(HASHTAG, oneOf("_\u200c\u200d\ua67e\u05be\u05f3\u05f4～〜゛゜゠・〃\u0f0b\u0f0c·"));
  add(HANDLE, lettersAndDigits, oneOf("_"));
  add(BEFORE_CASHTAG, spaces);
  add(AFTER_CASHTAG, javaScriptSpaces, punctuation, joints);
  add(ASCII, within("\0\x7f"));
}
