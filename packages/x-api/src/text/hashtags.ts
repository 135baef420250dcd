import { astralClass, classAt, HASHTAG, HASHTAG_LETTER } from "./char-classes.ts";
import type { HashtagRange } from "./entities.ts";
import { nextSign, type Units, unitAt, unitsOf } from "./units.ts";

/** The hashtags in a text, left to right: letters, marks and digits of any script, with one letter at least. */
export function findHashtags(text: string): readonly HashtagRange[] {
  const found: HashtagRange[] = [];
  const units = unitsOf(text);
  const wide = text.includes("＃") ? "＃" : undefined;
  const next = (start: number): number => nextSign(text, "#", wide, start);
  let from = 0;
  for (let at = next(0); at !== -1; at = next(Math.max(at + 1, from))) {
    if (!mayStartHashtag(text, units, at, from)) continue;
    const end = tagEnd(text, units, at + 1);
    if (end === -1) continue;
    if (!spoilsHashtag(text, units, end)) found.push({ start: at, end, tag: text.slice(at + 1, end) });
    from = end;
  }
  return found;
}

const EMOJI_STYLE = 0xfe0f;
const TEXT_STYLE = 0xfe0e;
const KEYCAP = 0x20e3;
const AMPERSAND = 0x26;
const COLON = 0x3a;
const HASH = 0x23;
const WIDE_HASH = 0xff03;

function mayStartHashtag(text: string, units: Units, at: number, from: number): boolean {
  const next = unitAt(units, at + 1);
  if (next === EMOJI_STYLE || next === KEYCAP) return false;
  if (at === 0) return true;
  if (at <= from) return false;
  const before = unitAt(units, at - 1);
  if (before === EMOJI_STYLE || before === TEXT_STYLE) return true;
  if (!isSurrogate(before)) return before !== AMPERSAND && (classAt(units, at - 1) & HASHTAG) === 0;
  const point = at - 1 > from ? (text.codePointAt(at - 2) ?? 0) : 0;
  return point > 0xffff && (astralClass(point) & HASHTAG) === 0;
}

/** -1 when there is no letter. */
function tagEnd(text: string, units: Units, start: number): number {
  let hasLetter = false;
  let end = start;
  for (;;) {
    const point = isSurrogate(unitAt(units, end)) ? (text.codePointAt(end) ?? 0) : 0;
    const bits = point > 0xffff ? astralClass(point) : classAt(units, end);
    if ((bits & HASHTAG) === 0) return hasLetter ? end : -1;
    hasLetter ||= (bits & HASHTAG_LETTER) !== 0;
    end += point > 0xffff ? 2 : 1;
  }
}

function spoilsHashtag(text: string, units: Units, at: number): boolean {
  const next = unitAt(units, at);
  return next === HASH || next === WIDE_HASH || (next === COLON && text.startsWith("://", at));
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
