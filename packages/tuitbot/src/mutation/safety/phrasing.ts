/** Whether a text says what another has said: the same text, or nearly the same words. */
export function isSimilar(text: string, other: string): boolean {
  if (normal(text) === normal(other)) return true;
  const words = wordsOf(text);
  if (words.size < FEWEST_WORDS) return false;
  const others = wordsOf(other);
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / (words.size + others.size - shared) >= TOO_SIMILAR;
}

/** Share of all words of both that they have in common. */
const TOO_SIMILAR = 0.8;
/** Thanks and congratulations are alike and do no harm. */
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
