import { fold, readingsOf, sentencesOf, UNSPACED, wordsOf } from "./fold.ts";

/** Consecutive words, too many for chance. */
const RUN_LENGTH = 6;
/** The share of common words in a copy. */
const COPIED_SHARE = 0.8;

/** Except runs in `allowed`. */
export function sharesRun(text: string, other: string, allowed = "", length = RUN_LENGTH): boolean {
  const theirs = inOneLine(other);
  const ours = inOneLine(allowed);
  return runsOf(wordsOf(text), length).some((run) => theirs.includes(run) && !ours.includes(run));
}

export function isMostlyCopied(text: string, other: string): boolean {
  const own = wordsOf(text);
  const theirs = new Set(wordsOf(other));
  return own.filter((word) => theirs.has(word)).length >= COPIED_SHARE * own.length;
}

/** A quotation or capitals that a text repeats as its own. */
export function findEcho(text: string, post: string, allowed: string): string | undefined {
  const quotedBack = new Set([...text.matchAll(QUOTED)].map(([, inner = ""]) => inner.trim().toLowerCase()));
  const said = text.toLowerCase();
  const quoted = [...post.matchAll(QUOTED)].map(([, inner = ""]) => inner.trim().toLowerCase());
  const quote = quoted.find(
    (inner) =>
      inner.length >= MIN_QUOTE &&
      said.includes(inner) &&
      !allowed.includes(inner) &&
      ![...quotedBack].some((cited) => inner.includes(cited)),
  );
  if (quote !== undefined) return quote;
  // Posts usually put it after a final colon.
  const last = afterLastColon(post);
  const isShort = compact(last).length < leastLetters(last);
  if (!isShort && compact(text).includes(compact(last)) && !compact(allowed).includes(compact(last)))
    return last;
  const capitals: readonly string[] = post.match(CAPITALS) ?? [];
  return capitals.find((word) => text.includes(word) && !allowed.includes(word.toLowerCase()));
}

/** If short and no question; otherwise empty. */
function afterLastColon(text: string): string {
  const colon = Math.max(text.lastIndexOf(":"), text.lastIndexOf("："));
  const end = colon < 0 ? "" : text.slice(colon + 1).trim();
  let length = end.length;
  while (length > 0 && ".!。！".includes(end.charAt(length - 1))) length -= 1;
  const last = end.slice(0, length).trim();
  return last.length >= 3 && last.length <= MAX_LAST && !/[\n?？؟]/u.test(last) ? last : "";
}

const MAX_LAST = 280;

/** A stranger may not close a quotation. */
const QUOTED =
  /(?:["“”„«`「『]|(?<!\p{L})['‘’])([^"“”„«»‘`「」『』\n]{3,280}?)(?:["“”»`」』]|['’](?!\p{L}))/gu;
const MIN_QUOTE = 4;
/** Shorter ones are mostly abbreviations. */
const CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{5,}(?![\p{L}\p{N}])/gu;

/** Verbatim, encoded, or nearly. Greetings may be returned, and questions answered in their words. */
export function findRepeatedSentence(text: string, post: string, allowed: string): string | undefined {
  const [plain = "", ...decoded] = readingsOf(post).map(compact);
  const stated = statementsOf(post);
  const own = compact(allowed);
  const isOwn = (part: string) => own.includes(compact(part));
  const isGreeting = (part: string) => plain.startsWith(compact(part)) && wordsOf(part).length <= GREETING;
  const isSaid = (said: string) =>
    (said.length >= leastLetters(said) && plain.includes(said)) ||
    (said.length >= MIN_QUOTE && decoded.some((reading) => reading.includes(said)));
  const isRepeated = (sentence: string) =>
    isSaid(compact(sentence)) ||
    sharedParts(sentence, stated) > RETOLD_SHARE ||
    sharedInOrder(wordsOf(sentence), wordsOf(stated)) > RETOLD_SHARE ||
    sharedParts(sentence, post) >= COPIED_SHARE;
  const isClause = (part: string) =>
    wordsOf(part).length >= (UNSPACED.test(part) ? 2 : 1) * CLAUSE && !CITED.test(part);
  const clauses = () => text.split(/[.!?。！？؟…\n:：,、،;]+/u).filter(isClause);
  return (
    sentencesOf(text).find((part) => !isOwn(part) && !isGreeting(part) && isRepeated(part)) ??
    clauses().find((part) => !isOwn(part) && !isGreeting(part) && isSaid(compact(part)))
  );
}

const RETOLD_SHARE = 0.4;
/** Words. */
const GREETING = 4;
/** Shorter clauses are often alike. */
const CLAUSE = 3;
const CITED = /^\s*["“”„«»「『‘']/u;

/** Fewer letters are a common word. */
function leastLetters(text: string): number {
  return UNSPACED.test(text) ? 3 : 5;
}

/** In the same order; 0 for too few words. */
function sharedInOrder(words: readonly string[], others: readonly string[]): number {
  if (words.length < MIN_IN_ORDER || words.length > MAX_IN_ORDER) return 0;
  let row = new Array<number>(others.length + 1).fill(0);
  for (const word of words) {
    const next = [0];
    for (const [at, other] of others.entries())
      next.push(word === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return (row.at(-1) ?? 0) / words.length;
}

const MIN_IN_ORDER = 5;
/** The effort grows with both lengths. */
const MAX_IN_ORDER = 140;

/** Without requests. */
export function statementsOf(post: string): string {
  return sentencesOf(post)
    .filter((sentence) => !/[?？؟]\s*$/u.test(sentence))
    .join(" ");
}

/** In some form; 0 for too few words. */
function sharedParts(sentence: string, other: string): number {
  const parts = [...new Set(partsOf(sentence))];
  const theirs = new Set(partsOf(other));
  const shared = parts.filter((part) => theirs.has(part)).length;
  const isEnough = parts.length > (UNSPACED.test(sentence) ? 5 : 3) || shared === parts.length;
  return isEnough && shared >= 3 ? shared / parts.length : 0;
}

/** Inflection mostly keeps beginnings; pairs of letters without spaces. */
function partsOf(text: string): readonly string[] {
  if (UNSPACED.test(text)) {
    const letters = Array.from(compact(text));
    return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  }
  return wordsOf(text)
    .map((word) => (ARABIC.test(word) ? word.replace(/^[وفبلك]?(?:ال)?/u, "") : word))
    .filter((word) => word.length >= (ARABIC.test(word) ? 3 : 4))
    .map((word) => word.slice(0, ARABIC.test(word) ? 3 : 5));
}

const ARABIC = /\p{Script=Arabic}/u;

function compact(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

function runsOf(words: readonly string[], length: number): readonly string[] {
  const starts = Math.max(0, words.length - length + 1);
  return Array.from({ length: starts }, (_, at) => ` ${words.slice(at, at + length).join(" ")} `);
}

function inOneLine(text: string): string {
  return ` ${wordsOf(text).join(" ")} `;
}
