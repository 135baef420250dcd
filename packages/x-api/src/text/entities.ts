import {
  AFTER_CASHTAG,
  astralClass,
  BEFORE_CASHTAG,
  classAt,
  HANDLE,
  HASHTAG,
  HASHTAG_LETTER,
  isLatinAccent,
  NOT_BEFORE_MENTION,
} from "./char-classes.ts";
import { isAsciiLetter, nextSign, type Units, unitAt, unitsOf } from "./units.ts";

/** From left to right. */
export interface Entities {
  readonly urls: readonly UrlRange[];
  readonly mentions: readonly MentionRange[];
  readonly hashtags: readonly HashtagRange[];
  readonly cashtags: readonly CashtagRange[];
}

/** UTF-16 indices, end excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** In full, or as a bare domain. */
export interface UrlRange extends Range {
  readonly url: string;
}

export interface MentionRange extends Range {
  readonly handle: string;
}

export interface HashtagRange extends Range {
  readonly tag: string;
}

export interface CashtagRange extends Range {
  readonly symbol: string;
}

/** `$ABC`, `$BRK.B`, from left to right. */
export function findCashtags(text: string): readonly CashtagRange[] {
  const found: CashtagRange[] = [];
  const units = unitsOf(text);
  for (let at = text.indexOf("$"); at !== -1; at = text.indexOf("$", at + 1)) {
    if (at > 0 && (classAt(units, at - 1) & BEFORE_CASHTAG) === 0) continue;
    const end = symbolEnd(units, at + 1);
    if (end !== -1) found.push({ start: at, end, symbol: text.slice(at + 1, end) });
  }
  return found;
}

const MAX_SYMBOL = 6;
const MAX_SUFFIX = 2;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;

/** -1 if it is not a symbol. An invalid suffix belongs to the sentence: `$ABC.def`. */
function symbolEnd(units: Units, start: number): number {
  const end = lettersEnd(units, start, MAX_SYMBOL);
  if (end === start) return -1;
  const joint = unitAt(units, end);
  if (joint === DOT || joint === UNDERSCORE) {
    const suffixEnd = lettersEnd(units, end + 1, MAX_SUFFIX);
    if (suffixEnd > end + 1 && endsSymbol(units, suffixEnd)) return suffixEnd;
  }
  return endsSymbol(units, end) ? end : -1;
}

function lettersEnd(units: Units, start: number, most: number): number {
  let end = start;
  while (end < start + most && isAsciiLetter(unitAt(units, end))) end++;
  return end;
}

function endsSymbol(units: Units, at: number): boolean {
  return (classAt(units, at) & AFTER_CASHTAG) !== 0;
}

/** Letters, marks and digits of any script, at least one letter. */
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

/** -1 without a letter. */
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

/** `@handle/list` names a list. */
export function findMentions(text: string): readonly MentionRange[] {
  const found: MentionRange[] = [];
  const units = unitsOf(text);
  const wide = text.includes("＠") ? "＠" : undefined;
  const next = (start: number): number => nextSign(text, "@", wide, start);
  let from = 0;
  for (let at = next(0); at !== -1; at = next(Math.max(at + 1, from))) {
    if (!mayStartMention(text, units, at, from)) continue;
    const nameEnd = handleEnd(units, at + 1);
    if (nameEnd === at + 1) continue;
    const end = listEnd(units, nameEnd);
    if (end === nameEnd && !spoilsMention(text, units, end)) {
      found.push({ start: at, end, handle: text.slice(at + 1, end) });
    }
    from = end;
  }
  return found;
}

const MAX_HANDLE = 20;
const MAX_LIST_TAIL = 24;
const DASH = 0x2d;
const SLASH = 0x2f;
const AT_SIGN = 0x40;
const WIDE_AT_SIGN = 0xff20;

/** `RT@handle` is a mention although a letter precedes the sign. */
function mayStartMention(text: string, units: Units, at: number, from: number): boolean {
  if (at === 0 || (at > from && (classAt(units, at - 1) & NOT_BEFORE_MENTION) === 0)) return true;
  const retweet = at - 2;
  if (retweet < from || !/^rt$/i.test(text.slice(retweet, at))) return false;
  return retweet === 0 || (retweet > from && !/[a-zA-Z0-9_+~.-]/.test(text.charAt(retweet - 1)));
}

function handleEnd(units: Units, start: number): number {
  let end = start;
  while (end < start + MAX_HANDLE && (classAt(units, end) & HANDLE) !== 0) end++;
  return end;
}

function listEnd(units: Units, at: number): number {
  if (unitAt(units, at) !== SLASH || !isAsciiLetter(unitAt(units, at + 1))) return at;
  let end = at + 2;
  const last = end + MAX_LIST_TAIL;
  while (end < last && ((classAt(units, end) & HANDLE) !== 0 || unitAt(units, end) === DASH)) end++;
  return end;
}

function spoilsMention(text: string, units: Units, at: number): boolean {
  const next = unitAt(units, at);
  if (next < 0x80) return next === AT_SIGN || (next === COLON && text.startsWith("://", at));
  return next === WIDE_AT_SIGN || isLatinAccent(next);
}
