/** Each phrase is one way people ask for it. */
export interface Findable<T> {
  readonly item: T;
  /** They weigh more than the text. */
  readonly names: readonly string[];
  readonly phrases?: readonly string[];
  readonly text: string;
}

export interface Found<T> {
  readonly item: T;
  readonly score: number;
}

/**
 * Searches a small set, such as a server's tools, with English, German or Spanish words. Stop words
 * are dropped, endings are ignored, rare words weigh more, and the words in a row of `synonyms` are equal.
 * Returns the matches, best first.
 *
 * ```ts
 * const entries = [{ item: 1, names: ["x_delete_tweet"], phrases: ["take a post down"], text: "Deletes a post." }];
 * const search = wordSearch(entries, [["delete", "remove", "löschen", "borrar"]]);
 * const [best] = search("take this post down");
 * ```
 */
export function wordSearch<T>(
  entries: readonly Findable<T>[],
  synonyms: readonly (readonly string[])[] = [],
): (query: string) => readonly Found<T>[] {
  const meanings = meaningsOf(synonyms);
  const read = (text: string) => wordsOf(text).map((word) => meaningOf(word, meanings));
  const readAll = (text: string) => new Set(allWordsOf(text).map((word) => meaningOf(word, meanings)));
  const indexed = entries.map(({ item, names, phrases = [], text }) => {
    const said = [...names, ...phrases].map((phrase) => new Set(read(phrase)));
    const named = new Set(names.flatMap(read));
    const about = new Set(read(text));
    const verbatim = [...names, ...phrases].map(readAll);
    return {
      item,
      said,
      verbatim,
      named,
      about,
      words: new Set([...said.flatMap((one) => [...one]), ...about]),
    };
  });
  const counts = new Map<string, number>();
  for (const { words } of indexed) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightOf = (word: string) => Math.log(1 + entries.length / (counts.get(word) ?? 1));
  const known = [...new Set([...counts.keys(), ...meanings.keys()])];

  return (query) => {
    const asked = new Set(
      wordsOf(query).flatMap((word) => {
        const meaning = meaningOf(word, meanings);
        if (counts.has(meaning)) return [meaning];
        return known.filter((part) => isPartOf(part, word)).map((part) => meanings.get(part) ?? part);
      }),
    );
    const total = sumOf(asked, weightOf);
    const askedVerbatim = readAll(query);
    return indexed
      .map(({ item, said, verbatim, named, about, words }) => {
        const common = [...asked].filter((word) => words.has(word));
        const bySaid = Math.max(0, ...said.map((phrase) => likeness(phrase, asked, weightOf)));
        const byWords = sumOf(
          common,
          (word) => weightOf(word) * (named.has(word) ? 1 : about.has(word) ? 0.4 : 0.7),
        );
        const byName = likeness(named, asked, weightOf);
        // Stop words distinguish "who follows me" from "follow somebody".
        const byAll = Math.max(0, ...verbatim.map((phrase) => likeness(phrase, askedVerbatim, () => 1)));
        const share = total === 0 ? 0 : byWords / total;
        const score = 0.45 * bySaid + 0.25 * share + 0.1 * byName + 0.2 * byAll + (byAll === 1 ? 0.3 : 0);
        return { item, score: Math.round(100 * score) };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  };
}

/** From 0 to 1: the shared part of the weight of two sets of words. */
function likeness(
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
  weightOf: (word: string) => number,
): number {
  const common = [...one].filter((word) => other.has(word));
  const all = sumOf(one, weightOf) + sumOf(other, weightOf);
  return all === 0 ? 0 : (2 * sumOf(common, weightOf)) / all;
}

function sumOf(words: Iterable<string>, weightOf: (word: string) => number): number {
  let sum = 0;
  for (const word of words) sum += weightOf(word);
  return sum;
}

/** German compounds start or end with a known word: "Werbekampagne". */
function isPartOf(part: string, word: string): boolean {
  return part.length >= 4 && word.length >= part.length + 3 && (word.startsWith(part) || word.endsWith(part));
}

/** A word as written precedes its stem: "followers" are not "following". */
function meaningOf(word: string, meanings: ReadonlyMap<string, string>): string {
  const stem = stemOf(word);
  return meanings.get(word) ?? meanings.get(stem) ?? stem;
}

function meaningsOf(synonyms: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const rows = synonyms.map((row) => row.flatMap(allWordsOf));
  const written = rows.flatMap(([meaning = "", ...more]) =>
    [meaning, ...more].map((word) => [word, meaning] as const),
  );
  // The first row with a stem gets it, after words as written.
  return new Map([
    ...written.map(([word, meaning]) => [stemOf(word), meaning] as const).reverse(),
    ...written,
  ]);
}

function wordsOf(text: string): readonly string[] {
  return allWordsOf(text).filter((word) => word.length > 1 && !STOP_WORDS.has(word));
}

function allWordsOf(text: string): readonly string[] {
  const plain = text.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** "posts", "posting", "posten" and "posteo" are "post". At least three letters remain. */
function stemOf(word: string): string {
  let stem = word;
  for (const endings of ENDINGS) {
    const cut = stem.replace(endings, "");
    if (cut.length >= 3) stem = cut;
  }
  return stem;
}

/** Plurals and persons, then forms of verbs, then the last vowel. */
const ENDINGS = [
  /(?:'s|s)$/,
  /(?:ing|ed|ung|aciones|acion|ando|iendo|ados|adas|ado|ada|idos|ido|ida|en|em|er|ar|ir|et|st)$/,
  /(?:y|i|e|a|o|n)$/,
] as const;

/** In three languages, without accents. */
const STOP_WORDS = new Set(
  [
    "a an the of to in on at by for from with into about as is are was were be been am do does did have has had will would can could should may might i me my mine you your we our us he she it its they them their this that these those there here what which how why when where and or but not no if so than then too very just some any all each every please want need let get give show tell make use using something anything thing things",
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren sein habe hat haben hatte wird werden wurde kann konnen soll sollen will mochte ich mich mir mein meine meinen meiner meines du dich dein deine er sie es wir uns unser ihr ihre auf an am aus bei bis fur im in mit nach von vom zu zum zur uber unter um was wie warum wo wann welche welcher welches bitte zeigen zeige anzeigen alle alles etwas mal noch schon so dass als",
    "el la los las un una unos unas de del al a en con por para sobre y o u pero no es son era eran ser estar esta estan este esto estos estas ese esa eso he ha han hemos hay yo me mi mis tu tus te se su sus nos nuestro que cual cuales como cuando donde por favor mostrar ver todo toda todos todas algo lo le les muy mas",
  ]
    .join(" ")
    .split(" "),
);
