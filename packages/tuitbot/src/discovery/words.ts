/** `bread` is in "Bread!" and "#bread", not in "breadth". */
export function hasWords(text: string, words: string): boolean {
  const wanted = folded(words).trim();
  if (wanted === "") return false;
  const [before, after] = [boundary(wanted, "start"), boundary(wanted, "end")];
  const pattern = wanted
    .split(/\s+/u)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&"))
    .join("\\s+");
  return new RegExp(`${before}${pattern}${after}`, "u").test(folded(text));
}

/** A word may begin anywhere, because there are no spaces. */
const UNSPACED = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
const OF_A_WORD = "[\\p{L}\\p{N}\\p{M}_]";

function boundary(words: string, at: "start" | "end"): string {
  const edge = at === "start" ? `^${OF_A_WORD}` : `${OF_A_WORD}$`;
  const unspaced = at === "start" ? `^[${UNSPACED}]` : `[${UNSPACED}]\\p{M}*$`;
  if (!new RegExp(edge, "u").test(words) || new RegExp(unspaced, "u").test(words)) return "";
  return at === "start" ? `(?<!${OF_A_WORD})` : `(?!${OF_A_WORD})`;
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** Alternatives of words that must all occur, without operators such as `lang:en` and excluded words. */
export function searchedWords(query: string): readonly (readonly string[])[] {
  const plain = query.replace(/-\([^)]*\)/gu, " ").replace(/[()]/gu, " ");
  const terms = plain.match(/-?(?:[\w.]+:)?"[^"]*"|\S+/gu) ?? [];
  const alternatives: string[][] = [[]];
  for (const term of terms) {
    if (term === "OR") alternatives.push([]);
    else if (!/^-|^[a-z_.]+:/u.test(term))
      alternatives.at(-1)?.push(term.replaceAll('"', "").replace(/^[#$]/u, ""));
  }
  return alternatives.filter((words) => words.length > 0);
}
