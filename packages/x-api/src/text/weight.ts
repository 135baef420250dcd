import type { UrlRange } from "./entities.ts";
import { isJointAt, JOINT, scan, type TextScan, WIDE } from "./scan.ts";
import { unitsOf } from "./units.ts";

const URL_WEIGHT = 23;

/** What a text counts towards the limit. A link counts 23 however long it is, and an emoji two. */
export function weigh({ text, weight, seen }: TextScan, urls: readonly UrlRange[]): number {
  let sum = weight;
  for (const { start, url } of urls) {
    const end = start + url.length;
    if ((seen & JOINT) !== 0 && isJointAt(unitsOf(text), end)) return weighApart(text, urls);
    sum += URL_WEIGHT - ((seen & WIDE) === 0 ? url.length : scan(text, start, end).weight);
  }
  return sum;
}

/** A link can take the first half of what would otherwise be one emoji. */
function weighApart(text: string, urls: readonly UrlRange[]): number {
  let weight = 0;
  let at = 0;
  for (const { start, url } of urls) {
    if (start < at) continue;
    weight += scan(text, at, start).weight + URL_WEIGHT;
    at = start + url.length;
  }
  return weight + scan(text, at, text.length).weight;
}
