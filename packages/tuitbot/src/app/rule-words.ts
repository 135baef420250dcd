import type { LearnedRule, RuleWords } from "@toolpact/contract/internal/guards";
import { formatUsd } from "@toolpact/contract/internal/money";
import type { StoredRule } from "../approval/learned-rules.ts";

export function ruleSentence(
  rule: Pick<LearnedRule, "does" | "conditions" | "perDay" | "budgetMicros">,
): string {
  const { does, conditions, perDay, budgetMicros } = rule;
  const { many, target } = wordsOf(rule);
  const manner = conditions.manner === "" ? "" : `${conditions.manner} `;
  const { from, to } = conditions.length;
  const calls = `${manner}${many} ${target}`.trimEnd();
  const texts = `of ${from === 0 ? "up to" : `${from} to`} ${to} characters`;
  return does === "allow"
    ? `Allow ${calls} ${texts}: at most ${perDay} a day, and ${formatUsd(budgetMicros)} in all.`
    : `Deny ${calls} ${texts}.`;
}

/** Shown after a user adds a rule. */
export function addedRule(rule: StoredRule): string {
  return `Rule ${rule.id}, until ${new Date(rule.expiresAt).toISOString().slice(0, 10)}: ${ruleSentence(rule)} Turn it off with tuitbot rules off ${rule.id}.`;
}

export function wordsOf({ conditions: { tool, target } }: Pick<LearnedRule, "conditions">): RuleWords {
  const { one, many } = NOUNS[tool] ?? { one: `${tool} call`, many: `${tool} calls` };
  return { one, many, target: TARGET_WORDS[target] ?? "" };
}

const NOUNS: Readonly<Record<string, Pick<RuleWords, "one" | "many">>> = {
  x_post_tweet: { one: "post", many: "posts" },
  x_reply_to_tweet: { one: "reply", many: "replies" },
  x_post_thread: { one: "thread", many: "threads" },
  x_quote_tweet: { one: "quote", many: "quotes" },
};

const TARGET_WORDS: Readonly<Record<string, string>> = {
  mention: "to people who mentioned you",
  own_post: "to your own posts",
  stranger: "about other people",
};
