import { classAt, HANDLE, isLatinAccent, NOT_BEFORE_MENTION } from "./char-classes.ts";
import type { MentionRange } from "./entities.ts";
import { isAsciiLetter, nextSign, type Units, unitAt, unitsOf } from "./units.ts";

/** The people mentioned in a text, left to right. `@handle/list` names a list and mentions nobody. */
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
const COLON = 0x3a;
const AT_SIGN = 0x40;
const WIDE_AT_SIGN = 0xff20;

/** `RT@handle` is a mention too, although a letter stands before the sign. */
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
