import { longEmojiEnd } from "./emoji.ts";
import type { FoundUrl } from "./urls.ts";

/** A stretch of text and what it counts towards the limit. */
export interface WeightedPart {
  /** `wide` letters count two each, `text` one; an emoji counts two and a link 23, however long they are. */
  readonly kind: "text" | "wide" | "emoji" | "url";
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

export const URL_WEIGHT = 23;

/** The weight of a text; tells `onPart` of each piece when it is given. */
export function weigh(
  text: string,
  urls: readonly FoundUrl[],
  onPart?: (part: WeightedPart) => void,
): number {
  let weight = 0;
  let next = 0;
  let at = 0;
  /** Behind the last link or emoji: what is before it cannot become part of another emoji. */
  let free = 0;
  while (at < text.length) {
    const url = urls[next];
    const start = at;
    if (url !== undefined && url.start === at) {
      next++;
      at = free = url.start + url.url.length;
      weight += URL_WEIGHT;
      onPart?.({ kind: "url", start, end: at, weight: URL_WEIGHT });
      continue;
    }
    const unit = text.charCodeAt(at);
    if (unit < FIRST_WIDE) {
      at++;
      weight++;
      onPart?.({ kind: "text", start, end: at, weight: 1 });
    }
  }
  return weight;
}

const FIRST_WIDE = 0x1100;
