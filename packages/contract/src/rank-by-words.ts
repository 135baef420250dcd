/** Something to be found, by the words of its parts: an action has those of its tool beside its own. */
export interface Findable<T> {
  readonly item: T;
  readonly parts: readonly { readonly name: string; readonly text: string }[];
}

/** What has words of the query, best first. A word in a name counts for more, and so does one that few have. */
export function rankByWords<T>(
  entries: readonly Findable<T>[],
  query: string,
): readonly { readonly item: T; readonly score: number }[] {
  const words = [...wordsOf(query)].filter((word) => word.length > 1);
  const read = entries.map(({ item, parts }) => ({
    item,
    parts: parts.map(({ name, text }) => ({ name: wordsOf(name), text: wordsOf(text) })),
  }));
  const matches = ({ parts }: (typeof read)[number], word: string) =>
    parts.reduce((sum, { name, text }) => sum + (name.has(word) ? 3 : 0) + (text.has(word) ? 1 : 0), 0);
  const weights = words.map((word) => {
    const found = read.filter((entry) => matches(entry, word) > 0).length;
    return [word, Math.log(1 + read.length / Math.max(found, 1))] as const;
  });
  return read
    .map((entry) => {
      const score = weights.reduce((sum, [word, weight]) => sum + matches(entry, word) * weight, 0);
      return { item: entry.item, score: Math.round(score * 10) / 10 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** Without endings, so that "tests" finds "test" and "recording" finds "record". */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|s)$/, "") : word)));
}
