import { DAY_MS } from "../../clock.ts";
import type { Micros } from "../money.ts";
import { type CallFacts, groupKey } from "./call-facts.ts";
import { conditionsOf, type LearnedRule, RULE_DAYS, type RuleConditions } from "./learned-rule.ts";
import { type RuleRehearsal, rehearseRule } from "./rehearse-rule.ts";

export interface PastDecision {
  readonly id: number;
  readonly at: number;
  readonly facts: CallFacts;
  /** `approved` is by a person, unchanged. `edited` stays so if approved later. `undecided` is no evidence. */
  readonly verdict: "approved" | "edited" | "rejected" | "undecided";
}

/** The narrowest rule over a group of equal decisions, with its evidence. */
export interface ProposedRule extends Pick<LearnedRule, "does" | "conditions" | "perDay" | "budgetMicros"> {
  readonly key: string;
  /** The decisions it is based on, oldest first. */
  readonly evidence: readonly number[];
  readonly rehearsal: RuleRehearsal;
}

/** Decisions of a group before a rule is proposed, and the days on which they were made. */
export const MIN_DECISIONS = 5;
export const MIN_DAYS = 2;

/**
 * Proposes the narrowest rule for each group without fences that a person always approved unchanged, or
 * always rejected.
 */
export function proposeRules(history: readonly PastDecision[], now: number): readonly ProposedRule[] {
  const groups = groupBy(history, ({ facts }) => groupKey(facts));
  return [...groups].flatMap(([key, members]) => {
    const rule = ruleOf(members);
    if (rule === undefined) return [];
    const rehearsal = rehearseRule(rule, history, now);
    // A decision of another group may still be in the way.
    return rehearsal.counterexamples.length > 0 ? [] : [{ ...rule, key, rehearsal }];
  });
}

function ruleOf(members: readonly PastDecision[]): Omit<ProposedRule, "key" | "rehearsal"> | undefined {
  const decided = members.filter(({ verdict }) => verdict !== "undecided").toSorted((a, b) => a.at - b.at);
  const [first, ...others] = decided;
  if (first === undefined || decided.length < MIN_DECISIONS || first.facts.caller === "") return undefined;
  const days = groupBy(decided, ({ at }) => Math.floor(at / DAY_MS));
  if (days.size < MIN_DAYS || others.some(({ verdict }) => verdict !== first.verdict)) return undefined;
  const does = DOES[first.verdict];
  if (does === undefined) return undefined;
  if (does === "allow" && members.some(({ facts }) => facts.fences.length > 0)) return undefined;
  const conditions = conditionsOf(
    first.facts,
    others.map(({ facts }) => facts),
    does,
  );
  const perDay = Math.max(...[...days.values()].map((day) => day.length));
  return {
    does,
    conditions,
    perDay,
    budgetMicros: budgetFor(conditions, perDay),
    evidence: decided.map(({ id }) => id),
  };
}

/** `Map.groupBy`, which Node 20 lacks. */
function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

const DOES: Readonly<Record<PastDecision["verdict"], LearnedRule["does"] | undefined>> = {
  approved: "allow",
  rejected: "deny",
  edited: undefined,
  undecided: undefined,
};

/** A third of its highest possible cost, and at least one day's. */
export function budgetFor({ micros }: Pick<RuleConditions, "micros">, perDay: number): Micros {
  return micros.to * perDay * Math.max(1, Math.floor(RULE_DAYS / 3));
}
