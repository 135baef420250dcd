import { DAY_MS } from "../../clock.ts";
import type { CallFacts, Fence } from "./call-facts.ts";
import { conditionsOf, type LearnedRule } from "./learned-rule.ts";
import { budgetFor } from "./propose-rules.ts";

export const SIMILAR_FOR = { day: 1, week: 7 } as const;
export type SimilarFor = keyof typeof SIMILAR_FOR;

/** Calls that a person allows in advance with one decision. */
const SIMILAR_PER_DAY = 5;

/** The narrowest rule for calls like this one, or the fence that prevents it. Shorter texts are covered too. */
export function allowSimilar(
  facts: CallFacts,
  period: SimilarFor,
  now: number,
): { readonly rule: LearnedRule } | { readonly fence: Fence | "unknown_agent" } {
  const [fence] = facts.fences;
  if (fence !== undefined) return { fence };
  if (facts.caller === "") return { fence: "unknown_agent" };
  const conditions = { ...conditionsOf(facts, [], "allow"), length: { from: 0, to: facts.length } };
  const expiresAt = now + SIMILAR_FOR[period] * DAY_MS;
  return {
    rule: {
      does: "allow",
      conditions,
      perDay: SIMILAR_PER_DAY,
      budgetMicros: budgetFor(conditions, SIMILAR_PER_DAY),
      acceptedAt: now,
      startsAt: now,
      expiresAt,
      reviewAt: expiresAt,
    },
  };
}
