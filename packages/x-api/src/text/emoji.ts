import { type Units, unitAt } from "./units.ts";

/** The end of the sequence, or -1. A single emoji weighs the same as other characters of its plane. */
export function emojiSequenceEnd(text: string, units: Units, at: number, end: number): number {
  if (!mayJoin(units, at, end)) return -1;
  const pattern = isShort(units, end) ? SHORT : anySequence();
  pattern.lastIndex = at;
  return pattern.test(text) && pattern.lastIndex > end ? pattern.lastIndex : -1;
}

/** Emoji that have emoji style already; X accepts the style selector after them anyway. */
const LOOSE = "⌚⌛◽◾☔☕♈-♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽❗⬛⬜⭐⭕🀄🈚🈯";

/** With emoji style or a skin tone. */
const SHORT = new RegExp(
  String.raw`[[\p{Emoji}--\p{Emoji_Presentation}--[#*0-9]]${LOOSE}]\uFE0F|[\p{Emoji_Modifier_Base}⛷]\p{Emoji_Modifier}`,
  "vy",
);

let sequences: RegExp | undefined;

/** All emoji, and looser spellings X counts as one. Slow, so built on demand. */
function anySequence(): RegExp {
  sequences ??= new RegExp(
    String.raw`[#*0-9]\uFE0F?\u20E3|[${LOOSE}]\uFE0F|[☝⛷⛹✌✍🏋🏌🕴🕵🖐]\uFE0F\p{Emoji_Modifier}|⛷\p{Emoji_Modifier}|👁\u200D🗨|\p{RGI_Emoji}`,
    "vy",
  );
  return sequences;
}

const JOINER = 0x200d;
const KEYCAP = 0x20e3;
const EMOJI_STYLE = 0xfe0f;
const SKIN_OR_FLAG = 0xd83c;
const TAG = 0xdb40;

/** Excludes nearly every character. */
function mayJoin(units: Units, at: number, end: number): boolean {
  const next = unitAt(units, end);
  if (next === JOINER || next === EMOJI_STYLE || next === KEYCAP || next === TAG) return true;
  return isSkin(units, end) || (next === SKIN_OR_FLAG && isFlagLetter(units, at));
}

function isShort(units: Units, end: number): boolean {
  if (isSkin(units, end)) return unitAt(units, end + 2) !== JOINER;
  if (unitAt(units, end) !== EMOJI_STYLE) return false;
  const next = unitAt(units, end + 1);
  return next !== JOINER && next !== KEYCAP && !isSkin(units, end + 1);
}

function isSkin(units: Units, at: number): boolean {
  const low = unitAt(units, at + 1);
  return unitAt(units, at) === SKIN_OR_FLAG && low >= 0xdffb && low <= 0xdfff;
}

function isFlagLetter(units: Units, at: number): boolean {
  const low = unitAt(units, at + 1);
  return unitAt(units, at) === SKIN_OR_FLAG && low >= 0xdde6 && low <= 0xddff;
}
