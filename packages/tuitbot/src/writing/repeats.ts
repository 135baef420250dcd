/** Number of consecutive words that two texts do not share by chance. */
const RUN_LENGTH = 6;
/** Share of common words from which a text counts as a copy. */
const COPIED_SHARE = 0.8;

/** Whether a text shares such a run of words with another one, except runs that are in `allowed`. */
export function sharesRun(text: string, other: string, allowed = ""): boolean {
  const theirs = inOneLine(other);
  const ours = inOneLine(allowed);
  return runsOf(wordsOf(text)).some((run) => theirs.includes(run) && !ours.includes(run));
}

/** Whether nearly all words of a text occur in the other one. */
export function isMostlyCopied(text: string, other: string): boolean {
  const own = wordsOf(text);
  const theirs = new Set(wordsOf(other));
  return own.filter((word) => theirs.has(word)).length >= COPIED_SHARE * own.length;
}

/** A quotation or a word in capitals of a post that a text repeats. */
export function findEcho(text: string, post: string, allowed: string): string | undefined {
  const said = text.toLowerCase();
  const quoted = [...post.matchAll(QUOTED)].map(([, inner = ""]) => inner.trim().toLowerCase());
  const quote = quoted.find(
    (inner) => inner.length >= MIN_QUOTE && said.includes(inner) && !allowed.includes(inner),
  );
  if (quote !== undefined) return quote;
  const capitals: readonly string[] = post.match(CAPITALS) ?? [];
  return capitals.find((word) => text.includes(word) && !allowed.includes(word.toLowerCase()));
}

/** At most as long as a post: a stranger's text may open a quotation and never close it. */
const QUOTED = /(?:["“”„«`]|(?<!\p{L})['‘’])([^"“”„«»‘`\n]{3,280}?)(?:["“”»`]|['’](?!\p{L}))/gu;
const MIN_QUOTE = 4;
/** Shorter words in capitals are mostly abbreviations. */
const CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{5,}(?![\p{L}\p{N}])/gu;

function runsOf(words: readonly string[]): readonly string[] {
  const starts = Math.max(0, words.length - RUN_LENGTH + 1);
  return Array.from({ length: starts }, (_, at) => ` ${words.slice(at, at + RUN_LENGTH).join(" ")} `);
}

function inOneLine(text: string): string {
  return ` ${wordsOf(text).join(" ")} `;
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
