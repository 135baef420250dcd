import { failed, type Outcome, ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import { mentionsProduct } from "../guards/safety/check-reply.ts";
import { findInjection, type InjectionProblem } from "../injection/judge.ts";
import { ownMaterial } from "../injection/own-material.ts";
import { sharesRun } from "../injection/repeats.ts";
import { refusedText } from "../x/toolkit/preflight.ts";
import { cleanText } from "../x/untrusted.ts";
import { type Assignment, ownWords } from "./assignment.ts";
import type { LlmAnswer } from "./llm.ts";
import { SEPARATOR, systemPrompt } from "./prompt.ts";

export interface CheckRules {
  readonly banned: readonly string[];
  readonly access: Access;
}

/** For a program, and for the model that rewrites the text. */
export interface Complaint {
  readonly problem: Problem;
  readonly words: string;
  /** If a person may still want to publish it. */
  readonly text?: string;
}

export type Problem =
  | "empty"
  | "too_long"
  | "wrong_number"
  | "not_postable"
  | "hidden_characters"
  | "banned_phrase"
  | "product_named"
  | InjectionProblem;

/** Unchanged, or their first problem. */
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

/** Models tend to quote the requested text. */
function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  const [, inner] = /^["“]([^"“”]+)["”]$/.exec(trimmed) ?? [];
  return inner?.trim() ?? trimmed;
}

type Check = (text: string, assignment: Assignment, rules: CheckRules) => Complaint | undefined;

const CHECKS: readonly Check[] = [
  checkLength,
  checkHiddenCharacters,
  checkPrompt,
  checkInjection,
  checkBannedPhrases,
  checkProductMention,
];

function checkLength(text: string, { purpose }: Assignment, { access }: CheckRules): Complaint | undefined {
  // Only a person decides to use Premium's length.
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
  const post = assignment.purpose === "reply" ? cleanText(assignment.post.text) : undefined;
  const sign = findInjection(text, { post, own: ownWords(assignment), business: assignment.business });
  return sign && { problem: sign.problem, words: `it ${sign.toModel}`, text };
}

function checkPrompt(text: string, assignment: Assignment): Complaint | undefined {
  return sharesRun(text, systemPrompt(assignment), ownMaterial(assignment.business))
    ? { problem: "repeats_the_prompt", words: "it repeats its instructions" }
    : undefined;
}
