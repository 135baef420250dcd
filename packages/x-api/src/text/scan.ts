import { emojiSequenceEnd } from "./emoji.ts";
import { addBits, oneOf, paint, within } from "./ranges.ts";
import { beforeFirstText, type Units, unitAt, unitsOf } from "./units.ts";

export const FULL_STOP = 1 << 0;
export const AT_SIGN = 1 << 1;
export const HASH_SIGN = 1 << 2;
export const DOLLAR_SIGN = 1 << 3;
export const WIDE = 1 << 4;
export const JOINT = 1 << 5;
/** May change, or be changed by, normal form C. */
export const UNSTABLE = 1 << 6;
export const INVALID = 1 << 7;

export interface TextScan {
  readonly text: string;
  readonly weight: number;
  readonly seen: number;
}

/** In normal form C, as X stores it. */
export function scanNormalized(text: string): TextScan {
  if (isSimple(text)) return { text, weight: text.length, seen: ANY_SIGN };
  const asGiven = scan(text);
  if ((asGiven.seen & UNSTABLE) === 0) return asGiven;
  const normal = text.normalize("NFC");
  return normal === text ? asGiven : scan(normal);
}

/** One pass computes the weight and finds signs. */
export function scan(text: string, start = 0, end: number = text.length): TextScan {
  const units = unitsOf(text);
  let weight = 0;
  let seen = 0;
  let at = start;
  while (at < end) {
    let bits = traitsAt(units, at);
    let next = traitsAt(units, at + 1);
    while (at < end && ((bits | next) & JOINT) === 0) {
      weight += 1 + ((bits & WIDE) >> WIDE_SHIFT);
      seen |= bits;
      at++;
      bits = next;
      next = traitsAt(units, at + 1);
    }
    if (at >= end) break;
    const characterEnd = characterEndAt(text, units, at);
    weight += characterWeight(units, at, characterEnd);
    for (; at < characterEnd; at++) seen |= traitsAt(units, at);
  }
  return { text, weight, seen };
}

/** An emoji has many code points. */
function characterEndAt(text: string, units: Units, at: number): number {
  const isPair = (unitAt(units, at) & 0xfc00) === 0xd800 && (unitAt(units, at + 1) & 0xfc00) === 0xdc00;
  const end = isPair ? at + 2 : at + 1;
  const sequenceEnd = emojiSequenceEnd(text, units, at, end);
  return sequenceEnd === -1 ? end : sequenceEnd;
}

function characterWeight(units: Units, start: number, end: number): number {
  return end === start + 1 && (traitsAt(units, start) & WIDE) === 0 ? 1 : 2;
}

export function isJointAt(units: Units, at: number): boolean {
  return (traitsAt(units, at) & JOINT) !== 0;
}

/** Below U+0300 nothing combines and everything weighs one. */
const BEYOND_SIMPLE = /[\u0300-\uffff]/;
const ANY_SIGN = FULL_STOP | AT_SIGN | HASH_SIGN | DOLLAR_SIGN;

function isSimple(text: string): boolean {
  // Emoji mostly come last, so checking both ends often skips the search.
  if (text.length > 0 && (text.charCodeAt(0) > 0x2ff || text.charCodeAt(text.length - 1) > 0x2ff))
    return false;
  return !BEYOND_SIMPLE.test(text);
}

const WIDE_SHIFT = Math.log2(WIDE);
const traits = new Uint8Array(0x10000);
beforeFirstText(() => markTraits(traits));

function traitsAt(units: Units, at: number): number {
  // The table has every unit, and readers stop at the final newline.
  return traits[units[at] as number] as number;
}

function markTraits(table: Uint8Array): void {
  table.fill(WIDE | UNSTABLE);
  paint(
    table,
    WIDE,
    within("\u2030\u205e", "\u2190\u21ff", "\u2600\u27bf", "\u3000\u3029", "\u3030\u3098", "\u309b\u30ff"),
    within("\u4e00\u9fff", "\uac00\ud7a3", "\ud83c\ud83e", "\udc00\udfff", "\ufe0f\ufe0f", "\uff01\uffee"),
  );
  // X's ranges with weight one.
  paint(table, UNSTABLE, within("\0\u10ff", "\u2000\u200d", "\u2010\u201f", "\u2032\u2037"));
  paint(
    table,
    0,
    within("\0\u02ff", "\u0400\u0482", "\u048a\u052f", "\u05d0\u05ea", "\u060c\u060c", "\u061f\u061f"),
    within("\u0621\u064a", "\u0e01\u0e30", "\u200d\u200d", "\u2010\u201f", "\u2032\u2037"),
  );
  // Joiner, keycap and emoji style; skin tones, flags and tags are beyond the first plane.
  addBits(table, JOINT, oneOf("\u200d\u20e3\ufe0f"), within("\ud800\udfff"));
  addBits(table, INVALID, oneOf("\ufffe\ufeff\uffff"));
  addBits(table, FULL_STOP, oneOf("."));
  addBits(table, AT_SIGN, oneOf("@＠"));
  addBits(table, HASH_SIGN, oneOf("#＃"));
  addBits(table, DOLLAR_SIGN, oneOf("$"));
}
