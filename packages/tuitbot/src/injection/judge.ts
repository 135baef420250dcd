import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";
import { cleanText } from "../x/untrusted.ts";
import { ENGLISH_SIGNS } from "./english-signs.ts";
import { fold, readingsOf, wordsOf } from "./fold.ts";
import { looksLikeInstructions } from "./instructions.ts";
import { isForeign } from "./language.ts";
import { canaryOf, configurationOf, ownMaterial, ownPosts, PROMPT_OPENING } from "./own-material.ts";
import { findEcho, findRepeatedSentence, isMostlyCopied, sharesRun, statementsOf } from "./repeats.ts";
import { MEANS, type ValueKind, valuesIn } from "./values.ts";

/** Possible origins of a text's parts. */
export interface Sources {
  /** By somebody else; undefined without one. */
  readonly post: string | undefined;
  /** By operator, account and caller. A text may use all of it. */
  readonly own: string;
  readonly business: Config["business"];
}

export type InjectionProblem =
  | "unasked_link"
  | "unasked_handle"
  | "unasked_tag"
  | "obeys_a_stranger"
  | "repeats_the_prompt"
  | "repeats_the_post"
  | "other_language";

export interface InjectionSign {
  readonly problem: InjectionProblem;
  /** Completes "The reply …". */
  readonly words: string;
  /** Without a stranger's words, for the model that rewrites it. */
  readonly toModel: string;
}

/** A reply without one may still be an injection. */
export function findInjection(text: string, sources: Sources): InjectionSign | undefined {
  for (const find of FINDERS) {
    const sign = find(text, sources);
    if (sign !== undefined) return sign;
  }
  return undefined;
}

type Finder = (text: string, sources: Sources) => InjectionSign | undefined;

const FINDERS: readonly Finder[] = [findValue, findEnglishSign, findLeak, findCopy, findName, findLanguage];

function findValue(text: string, { post = "", own }: Sources): InjectionSign | undefined {
  const allowed = new Set(valuesIn(own).map(({ value }) => value));
  const foreign = valuesIn(text).find(({ value }) => !allowed.has(value));
  if (foreign === undefined) return undefined;
  const { kind, value } = foreign;
  const isFromPost = readingsOf(post).some((reading) => reading.includes(value));
  return {
    problem: PROBLEMS[kind] ?? "obeys_a_stranger",
    words: `contains the ${kind} ${value}${isFromPost ? " from the post being answered" : ", which is not among your own material"}`,
    toModel: MEANS[kind],
  };
}

const PROBLEMS: Partial<Record<ValueKind, InjectionProblem>> = {
  link: "unasked_link",
  handle: "unasked_handle",
  tag: "unasked_tag",
};

function findEnglishSign(text: string, { own }: Sources): InjectionSign | undefined {
  const normal = text.normalize("NFKC");
  const ours = own.normalize("NFKC").toLowerCase();
  for (const { sign, means } of ENGLISH_SIGNS) {
    for (const { 0: found, index } of normal.matchAll(new RegExp(sign, `${sign.flags}g`))) {
      const said = wholeWords(normal, index, index + found.length).toLowerCase();
      if (!hasWords(ours, said)) return { problem: "obeys_a_stranger", words: means, toModel: means };
    }
  }
  return undefined;
}

/** Whole words and numbers: $50 and $5.50 are not $5. */
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

function findLeak(text: string, { business }: Sources): InjectionSign | undefined {
  const isLeak =
    fold(text).includes(canaryOf(business)) ||
    sharesRun(text, PROMPT_OPENING) ||
    configurationOf(business).some((instruction) => {
      const length = Math.min(wordsOf(instruction).length, MAX_LEAK);
      return length >= MIN_LEAK && sharesRun(text, instruction, "", length);
    });
  const words = "repeats its instructions";
  return isLeak ? { problem: "repeats_the_prompt", words, toModel: words } : undefined;
}

/** Consecutive words about the model's instructions. */
const MIN_LEAK = 3;
const MAX_LEAK = 4;

function findCopy(text: string, { post, own }: Sources): InjectionSign | undefined {
  if (post === undefined) return undefined;
  const sign = { problem: "repeats_the_post", toModel: "repeats the post" } as const;
  const copied = findEcho(text, post, own) ?? findRepeatedSentence(text, post, own);
  if (copied !== undefined)
    return { ...sign, words: `says what the post being answered says: “${copied.trim()}”` };
  return sharesRun(text, post, own, 5) || isMostlyCopied(text, post)
    ? { ...sign, words: "repeats the post being answered" }
    : undefined;
}

/** Several words. */
const NAME =
  /(?<![\p{L}\p{N}"“„«])\p{Lu}[\p{L}'’-]+(?: (?:of|de|del|della|do|da|du|des|la|le|von|der|the)){0,2}(?: \p{Lu}[\p{L}'’-]+)+/gu;

function findName(text: string, { post = "", own }: Sources): InjectionSign | undefined {
  const theirs = fold(statementsOf(post)).trim();
  const ours = fold(own);
  const name = (text.match(NAME) ?? []).find(
    (name) => theirs.indexOf(fold(name)) > 0 && !ours.includes(fold(name)),
  );
  return name === undefined
    ? undefined
    : {
        problem: "repeats_the_post",
        words: `names ${name}, as the post being answered does`,
        toModel: "names whom the post names",
      };
}

function findLanguage(text: string, { post, own }: Sources): InjectionSign | undefined {
  if (post === undefined) return undefined;
  const words = "is in another language than the post and your own texts";
  return isForeign(text, post, own)
    ? { problem: "other_language", words, toModel: "is in another language than the post" }
    : undefined;
}

/** It may name the author, and use the account's texts. */
export async function judgeReply(
  session: Session,
  business: Config["business"],
  post: { readonly text: string; readonly author: string | undefined },
  text: string,
): Promise<InjectionSign | undefined> {
  const author = post.author === undefined ? "" : `@${post.author}`;
  const own = [ownMaterial(business), business.product_url ?? "", author, ...(await ownPosts(session))].join(
    "\n",
  );
  return findInjection(text, { post: post.text, own, business });
}

/** For texts without a post: a sentence for the approver, if one was taken from read texts. */
export async function judgeText(
  session: Session,
  business: Config["business"],
  text: string,
  read: readonly string[],
): Promise<string | undefined> {
  if (read.length === 0) return undefined;
  const given = [ownMaterial(business), business.product_url ?? ""];
  // Own posts only excuse, so most texts need none.
  if (findTaken(text, { read, own: given.join("\n"), business }) === undefined) return undefined;
  const own = [...given, ...(await ownPosts(session))].join("\n");
  return findTaken(text, { read, own, business });
}

/**
 * A link, a value that leads somewhere, or a run of words. A text with orders is compared as closely as an
 * answered post.
 */
function findTaken(
  text: string,
  { read, own, business }: Pick<Sources, "own" | "business"> & { readonly read: readonly string[] },
): string | undefined {
  const allowed = new Set(valuesIn(own).map(({ value }) => value));
  const values = valuesIn(text).filter(({ kind, value }) => LEADING.has(kind) && !allowed.has(value));
  for (const other of read) {
    const readings = values.length === 0 ? [] : readingsOf(other);
    const taken = values.find(({ value }) => readings.some((reading) => reading.includes(value)));
    if (taken !== undefined)
      return `It contains the ${taken.kind} ${taken.value}, which is in a text of somebody else that was read before: ${quoted(other)}`;
    if (sharesRun(text, other, own) || obeys(text, other, { own, business }))
      return `It repeats a text of somebody else that was read before: ${quoted(other)}`;
  }
  return undefined;
}

/** Handles, tags and amounts are common. */
const LEADING: ReadonlySet<ValueKind> = new Set([
  "link",
  "e-mail address",
  "wallet address",
  "long number",
  "code",
  "encoded text",
]);

function obeys(text: string, post: string, sources: Pick<Sources, "own" | "business">): boolean {
  return looksLikeInstructions(post) && findCopy(text, { ...sources, post }) !== undefined;
}

/** Enough to recognize it. */
function quoted(text: string): string {
  const line = cleanText(text).replace(/\s+/g, " ").trim();
  return `“${line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line}”`;
}

const MAX_QUOTED = 80;
