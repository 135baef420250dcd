import { type Units, unitAt } from "./units.ts";

/**
 * Where the emoji sequence at `at` ends, or -1 when the character there, which ends at `end`, stands alone.
 * Only sequences matter: a lone emoji weighs what any character of its plane weighs.
 */
export function emojiSequenceEnd(text: string, units: Units, at: number, end: number): number {
  if (!mayJoin(units, at, end)) return -1;
  const isShort = unitAt(units, end) === EMOJI_STYLE && !isJoint(unitAt(units, end + 1));
  const pattern = isShort ? STYLED : EMOJI;
  pattern.lastIndex = at;
  return pattern.test(text) && pattern.lastIndex > end ? pattern.lastIndex : -1;
}

/** The emoji of the platform's Unicode, and the looser spellings that X also takes for one emoji. */
const EMOJI =
  /[#*0-9]\uFE0F?\u20E3|[⌚⌛◽◾☔☕♈-♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽❗⬛⬜⭐⭕🀄🈚🈯]\uFE0F|[☝⛷⛹✌✍🏋🏌🕴🕵🖐]\uFE0F[🏻-🏿]|⛷[🏻-🏿]|👁\u200D🗨|\p{RGI_Emoji}/vy;

/** What of these is one character and the emoji style, as a small pattern for a common case. */
const STYLED =
  /[[\p{Emoji}--\p{Emoji_Presentation}--[#*0-9]]⌚⌛◽◾☔☕♈-♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽❗⬛⬜⭐⭕🀄🈚🈯]\uFE0F/vy;

const JOINER = 0x200d;
const KEYCAP = 0x20e3;
const EMOJI_STYLE = 0xfe0f;
const SKIN_OR_FLAG = 0xd83c;
const TAG = 0xdb40;

function isJoint(unit: number): boolean {
  return unit === JOINER || unit === KEYCAP || unit === SKIN_OR_FLAG;
}

/** A cheap no for nearly every character, since the pattern above is a large one. */
function mayJoin(units: Units, at: number, end: number): boolean {
  const next = unitAt(units, end);
  if (next === JOINER || next === EMOJI_STYLE || next === KEYCAP || next === TAG) return true;
  return next === SKIN_OR_FLAG && (isSkin(unitAt(units, end + 1)) || isFlagLetter(units, at));
}

function isSkin(unit: number): boolean {
  return unit >= 0xdffb && unit <= 0xdfff;
}

function isFlagLetter(units: Units, at: number): boolean {
  const low = unitAt(units, at + 1);
  return unitAt(units, at) === SKIN_OR_FLAG && low >= 0xdde6 && low <= 0xddff;
}
