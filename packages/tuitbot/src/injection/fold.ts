import { cleanText } from "../x/untrusted.ts";

/** For comparison: no hidden characters, one form of each letter and digit. */
export function fold(text: string): string {
  return cleanText(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(MIXED_WORD, (word) => word.replace(LOOKALIKE, (letter) => LATIN.get(letter) ?? letter));
}

/** A script's ten digits are consecutive. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** They look like Latin ones. */
const LATIN = new Map([
  ...pairs("авекмнорстухіјѕԁԛԝьгп", "abekmhopctyxijsdqwbrn"),
  ...pairs("αβεικνορτυχω", "abeiknoptuxw"),
]);
const LOOKALIKE = new RegExp(`[${[...LATIN.keys()].join("")}]`, "gu");
const MIXED_WORD =
  /(?<![\p{L}\p{N}_.-])(?=[\p{L}\p{N}_.-]*\p{Script=Latin})(?=[\p{L}\p{N}_.-]*[\p{Script=Cyrillic}\p{Script=Greek}])[\p{L}\p{N}_.-]+/gu;

function pairs(from: string, to: string): [string, string][] {
  return Array.from(from, (letter, at) => [letter, to[at] ?? letter]);
}

/** As it is and decoded, folded. */
export function readingsOf(post: string): readonly string[] {
  const folded = fold(post);
  const words: readonly string[] = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [
    folded,
    // Spelled out: L-O-A-F.
    folded.replace(/(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][-. ·_]){2,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu, (run) =>
      run.replace(/[-. ·_]/g, ""),
    ),
    Array.from(folded).reverse().join(""),
    folded.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97)),
    words.map((word) => Array.from(word)[0]).join(""),
    ...(cleanText(post).match(/[A-Za-z0-9+/_-]{12,}={0,2}/g) ?? []).map((code) =>
      fold(Buffer.from(code, "base64").toString("utf8")),
    ),
  ];
}

/** Scripts without spaces are segmented. */
export function wordsOf(text: string): readonly string[] {
  const folded = fold(text);
  if (!UNSPACED.test(folded)) return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...SEGMENTER.segment(folded)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SEGMENTER = new Intl.Segmenter("ja", { granularity: "word" });

/** With their final mark. */
export function sentencesOf(text: string): readonly string[] {
  return (
    text.match(/[^.!?。！？؟…\n]+(?:[.!?。！？؟…]+(?=\s|$|[^\p{L}\p{N}])|[。！？؟\n]|$|[.!?…])/gu) ?? []
  ).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
