import { failed, type Outcome, ok } from "@toolpact/contract";
import { type Access, parsePost } from "@toolpact/x-api";
import { mentionsProduct } from "../mutation/safety/phrasing.ts";
import { refusedText } from "../x/toolkit/post-text.ts";
import { cleanText } from "../x/untrusted.ts";
import { type Assignment, ownWords } from "./assignment.ts";
import { INJECTION_SIGNS } from "./injection-signs.ts";
import { alphabetOf, languageOf } from "./language.ts";
import type { LlmAnswer } from "./llm.ts";
import { SEPARATOR, systemPrompt } from "./prompt.ts";
import { findEcho, isMostlyCopied, sharesRun } from "./repeats.ts";

export interface CheckRules {
  /** Phrases that a text must not contain. */
  readonly banned: readonly string[];
  readonly access: Access;
}

/** Why an answer is rejected: for a program, and for the model that writes it again. */
export interface Complaint {
  readonly problem: Problem;
  readonly words: string;
}

export type Problem =
  | "empty"
  | "too_long"
  | "wrong_number"
  | "not_postable"
  | "hidden_characters"
  | "unasked_link"
  | "unasked_handle"
  | "unasked_tag"
  | "banned_phrase"
  | "product_named"
  | "obeys_a_stranger"
  | "repeats_the_post"
  | "repeats_the_prompt"
  | "other_language";

/** The texts of an answer, unchanged, or the first problem of them. */
export function textsOf(
  { text: answer, isCut }: Pick<LlmAnswer, "text" | "isCut">,
  assignment: Assignment,
  rules: CheckRules,
): Outcome<readonly string[], Complaint> {
  if (isCut) return failed({ problem: "too_long", words: "it was cut off" });
  const texts = split(answer);
  if (texts.length === 0) return failed({ problem: "empty", words: "it is empty" });
  const [least, most] = assignment.purpose === "thread" ? assignment.size : [1, 1];
  if (texts.length < least || texts.length > most)
    return failed({
      problem: "wrong_number",
      words: `it has ${texts.length} posts, not ${least} to ${most}`,
    });
  for (const text of texts) {
    for (const check of CHECKS) {
      const complaint = check(text, assignment, rules);
      if (complaint !== undefined) return failed(complaint);
    }
  }
  return ok(texts);
}

function split(answer: string): readonly string[] {
  return answer
    .split(new RegExp(`^\\s*${SEPARATOR}\\s*$`, "m"))
    .map(withoutQuotes)
    .filter((text) => text !== "");
}

/** Models tend to quote the text that they were asked for. */
function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  const [, inner] = /^["“]([^"“”]+)["”]$/.exec(trimmed) ?? [];
  return inner?.trim() ?? trimmed;
}

type Check = (text: string, assignment: Assignment, rules: CheckRules) => Complaint | undefined;

const CHECKS: readonly Check[] = [
  checkLength,
  checkHiddenCharacters,
  checkAdditions,
  checkBannedPhrases,
  checkProductMention,
  checkInjection,
  checkRepetition,
  checkLanguage,
];

function checkLength(text: string, { purpose }: Assignment, { access }: CheckRules): Complaint | undefined {
  // Only a person decides to use the length that Premium allows.
  const setting = { access: { ...access, isPremium: false }, isReply: purpose === "reply", hasMedia: false };
  const refusal = refusedText(text, setting);
  if (refusal === undefined) return undefined;
  const { code, message } = refusal.failure;
  return {
    problem: code === "tweet_too_long" ? "too_long" : "not_postable",
    words: `X rejects it. ${message.replace(/\.$/, "")}`,
  };
}

function checkHiddenCharacters(text: string): Complaint | undefined {
  return cleanText(text) === text
    ? undefined
    : { problem: "hidden_characters", words: "it has invisible characters" };
}

/** Links, handles and tags are allowed only if the operator or the caller named them. */
function checkAdditions(text: string, assignment: Assignment): Complaint | undefined {
  const said = additionsIn(text);
  const own = additionsIn(ownWords(assignment));
  for (const { kind, problem, words } of ADDITIONS) {
    // Not quoted in the message: a stranger may have chosen it.
    if (said[kind].some((one) => !own[kind].includes(one))) return { problem, words };
  }
  return undefined;
}

const ADDITIONS = [
  { kind: "links", problem: "unasked_link", words: "it has a link that nobody asked for" },
  { kind: "handles", problem: "unasked_handle", words: "it has a handle that nobody asked for" },
  { kind: "tags", problem: "unasked_tag", words: "it has a tag that nobody asked for" },
] as const;

function additionsIn(text: string): Record<(typeof ADDITIONS)[number]["kind"], readonly string[]> {
  const normal = text.normalize("NFKC").toLowerCase();
  const { urls, mentions, hashtags, cashtags } = parsePost(normal);
  const links = [...urls.map(({ url }) => url), ...(normal.match(LIKE_A_LINK) ?? [])];
  return {
    links: links.map((link) => link.replace(/^https?:\/\//, "").replace(/[/.,!?)]+$/, "")),
    handles: mentions.map(({ handle }) => `@${handle}`),
    tags: [...hashtags.map(({ tag }) => `#${tag}`), ...cashtags.map(({ symbol }) => `$${symbol}`)],
  };
}

/** Text that X does not turn into a link, but that reads as one. */
const LIKE_A_LINK =
  /\bh(?:tt|xx)ps?:\/\/\S+|\bwww\.\S+|[\w-]{2,}\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\sdot\s)\s?(?:com|net|org|io|xyz|app|co|ly|me|gg)\b/g;

function checkBannedPhrases(text: string, _: Assignment, { banned }: CheckRules): Complaint | undefined {
  const said = text.toLowerCase();
  const phrase = banned.find((phrase) => said.includes(phrase.toLowerCase()));
  return phrase === undefined ? undefined : { problem: "banned_phrase", words: `it says “${phrase}”` };
}

function checkProductMention(text: string, { mentionProduct, business }: Assignment): Complaint | undefined {
  return mentionProduct || !mentionsProduct(text, business)
    ? undefined
    : { problem: "product_named", words: "it names the product" };
}

function checkInjection(text: string, assignment: Assignment): Complaint | undefined {
  const own = ownWords(assignment).normalize("NFKC");
  const normal = text.normalize("NFKC");
  for (const { sign, means } of INJECTION_SIGNS) {
    for (const { 0: found, index } of normal.matchAll(new RegExp(sign, `${sign.flags}g`))) {
      const said = wholeWords(normal, index, index + found.length).toLowerCase();
      if (!hasWords(own, said)) return { problem: "obeys_a_stranger", words: `it ${means}` };
    }
  }
  return undefined;
}

/** The text from `start` to `end`, extended to whole words and numbers: $50 and $5.50 are not $5. */
function wholeWords(text: string, start: number, end: number): string {
  const [before = ""] = /[\p{L}\p{N}]*$/u.exec(text.slice(0, start)) ?? [];
  const [after = ""] = /^(?:[\p{L}\p{N}]|[.,](?=\d))*/u.exec(text.slice(end)) ?? [];
  return before + text.slice(start, end) + after;
}

function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (wholeWords(text, at, at + words.length) === words) return true;
  return false;
}

function checkRepetition(text: string, assignment: Assignment): Complaint | undefined {
  const own = ownWords(assignment);
  if (sharesRun(text, systemPrompt(assignment), own))
    return { problem: "repeats_the_prompt", words: "it repeats its instructions" };
  if (assignment.purpose !== "reply") return undefined;
  const post = cleanText(assignment.post.text);
  return sharesRun(text, post) || isMostlyCopied(text, post) || findEcho(text, post, own) !== undefined
    ? { problem: "repeats_the_post", words: "it repeats the post" }
    : undefined;
}

/** A reply must be in the language of the business or of the post. */
function checkLanguage(text: string, assignment: Assignment): Complaint | undefined {
  if (assignment.purpose !== "reply") return undefined;
  const models = [ownWords(assignment), cleanText(assignment.post.text)];
  const alphabet = alphabetOf(text);
  const language = languageOf(text);
  const isKnown =
    (alphabet === undefined || models.some((model) => alphabetOf(model) === alphabet)) &&
    (language === undefined ||
      language === "English" ||
      models.some((model) => languageOf(model) === language));
  return isKnown ? undefined : { problem: "other_language", words: "its language is not the post's" };
}
