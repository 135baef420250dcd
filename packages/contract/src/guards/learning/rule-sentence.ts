import { formatUsd } from "../money.ts";
import type { Fence } from "./call-facts.ts";
import type { ProposedRule } from "./propose-rules.ts";

/** The noun for its calls: `reply`, `replies`. */
export interface RuleWords {
  readonly one: string;
  readonly many: string;
  /** Who or what they are for: `to people who mentioned you`. */
  readonly target: string;
}

export function proposalSentence(
  { does, evidence, perDay, rehearsal, conditions }: Omit<ProposedRule, "key">,
  { one, many, target }: RuleWords,
): string {
  const manner = conditions.manner === "" ? "" : `${conditions.manner} `;
  const calls = `${evidence.length} ${manner}${many} ${target}`.trimEnd();
  const { decided, micros, counterexamples, days } = rehearsal;
  const count = `${decided.length} ${decided.length === 1 ? one : many}`;
  const otherwise = counterexamples.length;
  return does === "allow"
    ? `You approved all ${calls} and edited none. Allow these automatically, up to ${perDay} a day? In the last ${days} days this would have let through ${count}${micros === 0 ? "" : ` for ${formatUsd(micros)}`}; ${otherwise} of them ${otherwise === 1 ? "is one" : "are ones"} you rejected or edited.`
    : `You rejected all ${calls}. Deny these automatically? In the last ${days} days this would have denied ${count}; ${otherwise} of them ${otherwise === 1 ? "is one" : "are ones"} you approved or edited.`;
}

export function fenceWords(fence: Fence | "unknown_agent"): string {
  return FENCE_WORDS[fence];
}

const FENCE_WORDS: Readonly<Record<Fence | "unknown_agent", string>> = {
  hard_rule: "A rule that no setting turns off asks for a person.",
  injection: "It has signs of instructions from somebody else.",
  link: "It has a link.",
  file: "It has a picture or another file, which no rule can read.",
  stranger: "It is about somebody who did not call on this account.",
  several_people: "Several people have to approve it.",
  unknown_agent: "It is not known which agent made it.",
};
