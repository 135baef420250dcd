import type { Config } from "../../config/schema.ts";

/** Whether a text repeats another: the same text, or nearly the same words. */
export function isSimilar(text: string, other: string): boolean {
  if (normal(text) === normal(other)) return true;
  const words = wordsOf(text);
  if (words.size < FEWEST_WORDS) return false;
  const others = wordsOf(other);
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / (words.size + others.size - shared) >= TOO_SIMILAR;
}

/** The share of the words of both texts that they have in common. */
const TOO_SIMILAR = 0.8;
/** Shorter texts, such as thanks, are often alike and do no harm. */
const FEWEST_WORDS = 5;

function normal(text: string): string {
  return text.trim().toLowerCase();
}

function wordsOf(text: string): Set<string> {
  const words = normal(text)
    .split(/\s+/)
    .map((word) => word.replace(/^\p{P}+|\p{P}+$/gu, ""));
  return new Set(words.filter((word) => word !== ""));
}

/** Whether a text names the product or its address. */
export function mentionsProduct(text: string, { product_name, product_url }: Config["business"]): boolean {
  const said = text.toLowerCase();
  return [product_name, withoutScheme(product_url ?? "")]
    .map((name) => name.trim().toLowerCase())
    .some((name) => name !== "" && said.includes(name));
}

/** How many of the latest replies the ratio of product mentions is computed from. */
export const RATIO_WINDOW = 20;

/** How many of the latest replies may name the product: at least one, unless the ratio is 0. */
export function mostMentions(ratio: number): number {
  return ratio === 0 ? 0 : Math.max(1, Math.floor(ratio * RATIO_WINDOW));
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
}
