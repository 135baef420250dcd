import {
  astralHashtagLetters,
  astralHashtagNumerals,
  cyrillicAnyCase,
  hashtagLetters,
  hashtagNumerals,
  latinAccents,
  latinAccentsAnyCase,
} from "./tables.gen.ts";

/** What a UTF-16 code unit may be part of, as bits of `classAt`. */
export const DOMAIN = 1 << 0;
export const LATIN_DOMAIN = 1 << 1;
export const BEFORE_URL = 1 << 2;
export const PATH = 1 << 3;
export const PATH_END = 1 << 4;
export const QUERY = 1 << 5;
export const QUERY_END = 1 << 6;
export const HASHTAG = 1 << 7;
export const HASHTAG_LETTER = 1 << 8;
export const HANDLE = 1 << 9;
export const BEFORE_MENTION = 1 << 10;
export const LATIN_ACCENT = 1 << 11;
export const BEFORE_CASHTAG = 1 << 12;
export const AFTER_CASHTAG = 1 << 13;

/** Classes of the code unit at a place: one look at a table instead of a pattern. None outside the text. */
export function classAt(text: string, at: number): number {
  return at >= 0 && at < text.length ? (charClass[text.charCodeAt(at)] ?? 0) : 0;
}

/** Classes of a code point beyond the first plane; only hashtags have any there. */
export function astralClass(point: number): number {
  if (isWithin(astralLetters, point)) return HASHTAG | HASHTAG_LETTER;
  return isWithin(astralNumerals, point) ? HASHTAG : 0;
}

const charClass = classify();
const astralLetters = rangesOf(astralHashtagLetters);
const astralNumerals = rangesOf(astralHashtagNumerals);

function classify(): Uint16Array {
  const table = new Uint16Array(0x10000);
  const add = (bits: number, ...sets: readonly Ranges[]) => mark(table, sets, (old) => old | bits);
  const remove = (bits: number, ...sets: readonly Ranges[]) => mark(table, sets, (old) => old & ~bits);

  const lettersAndDigits = within("az", "AZ", "09");
  const letters = within("az", "AZ");
  const spaces = within("\t\r", "  ", "\x85\x85", "\xa0\xa0", "\u1680\u1680", "\u180e\u180e").concat(
    within("\u2000\u200a", "\u2028\u2029", "\u202f\u202f", "\u205f\u205f", "\u3000\u3000"),
  );
  const javaScriptSpaces = within("\t\r", "  ", "\xa0\xa0", "\u1680\u1680", "\u2000\u200a").concat(
    within("\u2028\u2029", "\u202f\u202f", "\u205f\u205f", "\u3000\u3000", "\ufeff\ufeff"),
  );
  const directionMarks = within("\u202a\u202e", "\u061c\u061c", "\u200e\u200f", "\u2066\u2069");
  const forbidden = oneOf("\ufffe\ufeff\uffff");
  const punctuation = oneOf("!'#%&()*+,\\-./:;<=>?@[]^_{|}~$");
  const everything = within("\0\uffff");
  const accents = rangesOf(latinAccents);
  // The URL rules ignore case, which draws in a few letters whose other case is an accented one.
  const accentsAnyCase = rangesOf(latinAccentsAnyCase);
  const cyrillic = rangesOf(cyrillicAnyCase);

  add(DOMAIN | BEFORE_URL | BEFORE_MENTION, everything);
  remove(DOMAIN, punctuation, spaces, forbidden, directionMarks);
  remove(BEFORE_URL, lettersAndDigits, oneOf("@＠$#＃"), forbidden);
  remove(BEFORE_MENTION, lettersAndDigits, oneOf("_!#$%&*@＠"));

  add(LATIN_DOMAIN, lettersAndDigits, oneOf("-"), accentsAnyCase);
  add(PATH, lettersAndDigits, oneOf("!*';:=+,.$/%#[]-–_~@|&"), cyrillic, accentsAnyCase);
  add(PATH_END, lettersAndDigits, oneOf("+-=_#/"), cyrillic, accentsAnyCase);
  add(QUERY, lettersAndDigits, oneOf("!?*'@();:&=+$/%#[]-_.,~|"));
  add(QUERY_END, lettersAndDigits, oneOf("-_&=#/"));

  add(HASHTAG | HASHTAG_LETTER, letters, rangesOf(hashtagLetters));
  add(
    HASHTAG,
    rangesOf(hashtagNumerals),
    oneOf("_\u200c\u200d\ua67e\u05be\u05f3\u05f4～〜゛゜゠・〃\u0f0b\u0f0c·"),
  );
  add(HANDLE, lettersAndDigits, oneOf("_"));
  add(LATIN_ACCENT, accents);
  add(BEFORE_CASHTAG, spaces);
  add(AFTER_CASHTAG, javaScriptSpaces, punctuation);
  return table;
}

/** First and last code of each range, in turn and in order. */
type Ranges = readonly number[];

function mark(table: Uint16Array, sets: readonly Ranges[], change: (old: number) => number): void {
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) {
      const last = set[at + 1] ?? 0;
      for (let code = set[at] ?? 0; code <= last; code++) table[code] = change(table[code] ?? 0);
    }
  }
}

function within(...pairs: readonly string[]): Ranges {
  return pairs.flatMap((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]);
}

function oneOf(characters: string): Ranges {
  return [...characters].flatMap((character) => [character.charCodeAt(0), character.charCodeAt(0)]);
}

function rangesOf(table: string): Ranges {
  const ranges: number[] = [];
  let code = 0;
  for (const [at, number] of table.split(" ").entries()) {
    code += Number.parseInt(number, 36);
    ranges.push(at % 2 === 0 ? code : code - 1);
  }
  return ranges;
}

function isWithin(ranges: Ranges, code: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return (ranges[2 * low] ?? Number.POSITIVE_INFINITY) <= code;
}
