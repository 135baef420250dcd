/** Words in a row that nobody writes twice by chance. */
const SAME_RUN = 6;
/** Share of its words from which a text is another one said again. */
const MOSTLY = 0.8;

/** Whether a text has so many words in a row from another one, other than those that `allowed` has too. */
export function sharesRun(text: string, other: string, allowed = ""): boolean {
  const theirs = inOneLine(other);
  const ours = inOneLine(allowed);
  return runsOf(wordsOf(text)).some((run) => theirs.includes(run) && !ours.includes(run));
}

/** Whether nearly all of its words are the other's. */
export function parrots(text: string, other: string): boolean {
  const own = wordsOf(text);
  const theirs = new Set(wordsOf(other));
  return own.filter((word) => theirs.has(word)).length >= MOSTLY * own.length;
}

/** What a post puts in quotes or in capitals, and a text says after it; undefined where it says none of it. */
export function echoed(text: string, post: string, allowed: string): string | undefined {
  const said = text.toLowerCase();
  const quoted = [...post.matchAll(QUOTED)].map(([, inner = ""]) => inner.trim().toLowerCase());
  const quote = quoted.find(
    (inner) => inner.length >= LEAST_QUOTE && said.includes(inner) && !allowed.includes(inner),
  );
  if (quote !== undefined) return quote;
  const capitals: readonly string[] = post.match(CAPITALS) ?? [];
  return capitals.find((word) => text.includes(word) && !allowed.includes(word.toLowerCase()));
}

/** No longer than a post, which could not say it again otherwise; a stranger's text may open quotes without end. */
const QUOTED = /(?:["“”„«`]|(?<!\p{L})['‘’])([^"“”„«»‘`\n]{3,280}?)(?:["“”»`]|['’](?!\p{L}))/gu;
const LEAST_QUOTE = 4;
/** Shorter ones are mostly abbreviations that any text may use. */
const CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{5,}(?![\p{L}\p{N}])/gu;

function runsOf(words: readonly string[]): readonly string[] {
  const starts = Math.max(0, words.length - SAME_RUN + 1);
  return Array.from({ length: starts }, (_, at) => ` ${words.slice(at, at + SAME_RUN).join(" ")} `);
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
