import { characterEndAt, characterWeight, isJointAt, JOINT, type Survey, survey, WIDE } from "./survey.ts";
import { unitsOf } from "./units.ts";
import type { FoundUrl } from "./urls.ts";

export const URL_WEIGHT = 23;

/** What a text counts towards the limit. A link counts 23 however long it is, and an emoji two. */
export function weigh({ text, weight, seen }: Survey, urls: readonly FoundUrl[]): number {
  let sum = weight;
  for (const { start, url } of urls) {
    const end = start + url.length;
    if ((seen & JOINT) !== 0 && isJointAt(unitsOf(text), end)) return weighApart(text, urls);
    sum += URL_WEIGHT - ((seen & WIDE) === 0 ? url.length : survey(text, start, end).weight);
  }
  return sum;
}

/** A link can take the first half of what would otherwise be one emoji. */
function weighApart(text: string, urls: readonly FoundUrl[]): number {
  let weight = 0;
  let at = 0;
  for (const { start, url } of urls) {
    if (start < at) continue;
    weight += survey(text, at, start).weight + URL_WEIGHT;
    at = start + url.length;
  }
  return weight + survey(text, at, text.length).weight;
}

/** A stretch of text and what it counts towards the limit. */
export interface WeightedPart {
  /** Letters of `text` count one each, of `wide` two. */
  readonly kind: "text" | "wide" | "emoji" | "url";
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** What each part of a text weighs; together they weigh what `weigh` says. */
export function weighedParts(text: string, urls: readonly FoundUrl[]): readonly WeightedPart[] {
  const units = unitsOf(text);
  const parts: WeightedPart[] = [];
  let nextUrl = 0;
  for (let at = 0; at < text.length; ) {
    while ((urls[nextUrl]?.start ?? text.length) < at) nextUrl++;
    const url = urls[nextUrl]?.start === at ? urls[nextUrl] : undefined;
    const end = url === undefined ? characterEndAt(text, units, at) : at + url.url.length;
    const weight = url === undefined ? characterWeight(units, at, end) : URL_WEIGHT;
    const kind = url === undefined ? kindOf(text.slice(at, end), weight) : "url";
    const last = parts.at(-1);
    if (last?.kind === kind && (kind === "text" || kind === "wide")) {
      parts[parts.length - 1] = { kind, start: last.start, end, weight: last.weight + weight };
    } else parts.push({ kind, start: at, end, weight });
    at = end;
  }
  return parts;
}

function kindOf(character: string, weight: number): WeightedPart["kind"] {
  if (weight === 1) return "text";
  const isSequence = character.length > String.fromCodePoint(character.codePointAt(0) ?? 0).length;
  return isSequence || /^\p{Emoji_Presentation}/u.test(character) ? "emoji" : "wide";
}
