/** By words that are common in one and rare in others. */
const LANGUAGES = [
  {
    name: "English",
    words: "the and of is are it that this with for you your not have my what when to how be was",
  },
  {
    name: "Spanish",
    words: "el los las que es en una por con para pero como está muy más mi tu del se al y ¿qué qué",
  },
  {
    name: "French",
    words: "le les des est une et pour dans que pas vous nous avec sur mais je c'est du au ma mon",
  },
  {
    name: "German",
    words:
      "der die das und ist nicht ein eine mit für auf ich wir sie auch dem den im am zu was wie mein meine bei",
  },
  {
    name: "Portuguese",
    words: "o os as que é em uma por com para mas não mais você muito seu meu do da no na minha e",
  },
  {
    name: "Italian",
    words: "il gli che è una per con non di del della sono ma anche più questo mio mia si e",
  },
  { name: "Dutch", words: "de het een en van is dat niet op met voor maar zijn ook je wij" },
] as const;

/** By their scripts. */
const ALPHABETS = [
  { name: "Latin", scripts: ["Latin"] },
  { name: "Cyrillic", scripts: ["Cyrillic"] },
  { name: "Chinese or Japanese", scripts: ["Han", "Hiragana", "Katakana"] },
  { name: "Korean", scripts: ["Hangul"] },
  { name: "Arabic", scripts: ["Arabic"] },
  { name: "Hebrew", scripts: ["Hebrew"] },
  { name: "Greek", scripts: ["Greek"] },
  { name: "Devanagari", scripts: ["Devanagari"] },
  { name: "Thai", scripts: ["Thai"] },
];

const COMMON_WORDS = LANGUAGES.map(({ name, words }) => ({ name, words: new Set<string>(words.split(" ")) }));
const LETTERS = ALPHABETS.map(({ name, scripts }) => ({
  name,
  letter: new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join("")}]`, "gu"),
}));

/** Undefined if the words do not tell. */
function languageOf(text: string): string | undefined {
  const [best, next] = hitsIn(text);
  if (best === undefined || best.hits < MIN_HITS || best.hits === next?.hits) return undefined;
  return best.name;
}

/** Words per language, most first. */
function hitsIn(text: string) {
  const words: readonly string[] = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  return COMMON_WORDS.map(({ name, words: common }) => ({
    name,
    hits: words.filter((word) => common.has(word)).length,
  })).sort((a, b) => b.hits - a.hits);
}

const MIN_HITS = 2;

/** Undefined without letters. */
function alphabetOf(text: string): string | undefined {
  const [best] = LETTERS.map(({ name, letter }) => ({ name, count: text.match(letter)?.length ?? 0 })).sort(
    (a, b) => b.count - a.count,
  );
  return best === undefined || best.count === 0 ? undefined : best.name;
}

/** Neither the post's language nor one of the account's. Short texts are ambiguous. */
export function isForeign(text: string, post: string, own: string): boolean {
  const alphabet = alphabetOf(text);
  const alphabets = [post, own].map(alphabetOf);
  if (alphabet !== undefined && alphabets.some((one) => one !== undefined) && !alphabets.includes(alphabet))
    return true;
  const language = languageOf(text);
  const theirs = hitsIn(post);
  const hits = (all: ReturnType<typeof hitsIn>) => all.find(({ name }) => name === language)?.hits ?? 0;
  return (
    language !== undefined &&
    hits(theirs) + hits(hitsIn(own)) === 0 &&
    (theirs[0]?.hits ?? 0) > 0 &&
    (theirs[0]?.hits ?? 0) + hits(hitsIn(text)) >= MIN_HITS_OF_BOTH
  );
}

const MIN_HITS_OF_BOTH = 5;
