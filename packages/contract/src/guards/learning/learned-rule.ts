import { DAY_MS } from "../../clock.ts";
import { canonicalJson } from "../../json.ts";
import type { Micros } from "../money.ts";
import type { CallFacts, Fence } from "./call-facts.ts";

/** A rule that a person accepted. It is bound to one account and one agent. */
export interface LearnedRule {
  readonly does: "allow" | "deny";
  readonly conditions: RuleConditions;
  /** The most calls that it lets through in a UTC day. A rule that denies has none of these limits. */
  readonly perDay: number;
  /** The most that the calls it lets through may cost together. */
  readonly budgetMicros: Micros;
  readonly acceptedAt: number;
  /** Until then it is rehearsed: it decides nothing, and its owner sees the calls it would have decided. */
  readonly startsAt: number;
  readonly expiresAt: number;
  /** From then on, its owner is reminded to look at it. */
  readonly reviewAt: number;
}

/** Conditions that must all hold. */
export interface RuleConditions
  extends Pick<CallFacts, "scope" | "caller" | "tool" | "effect" | "argumentKinds" | "target" | "manner"> {
  readonly length: Range;
  readonly micros: Range;
  readonly amount: Range;
  /** A rule that denies covers the calls that reach exactly these fences. One that allows covers none that reach any. */
  readonly fences: readonly Fence[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Calls that the rule has let through. */
export interface RuleUse {
  /** In this UTC day. */
  readonly today: number;
  readonly spentMicros: Micros;
}

/** Why a rule leaves a call to a person. */
export type NotApplied = "outside" | "rehearsed" | "expired" | "daily_limit" | "budget" | Fence;

export const CONDITION_NAMES = [
  "scope",
  "caller",
  "tool",
  "effect",
  "argumentKinds",
  "target",
  "manner",
  "length",
  "micros",
  "amount",
] as const satisfies readonly (keyof RuleConditions)[];

/** The rule's effect on a call, or the reason why it has none. */
export function applyRule(
  rule: LearnedRule,
  facts: CallFacts,
  use: RuleUse,
  now: number,
): { readonly applies: true } | { readonly applies: false; readonly why: NotApplied } {
  const why = notApplied(rule, facts, use, now);
  return why === undefined ? { applies: true } : { applies: false, why };
}

function notApplied(
  { does, conditions, startsAt, expiresAt, perDay, budgetMicros }: LearnedRule,
  facts: CallFacts,
  { today, spentMicros }: RuleUse,
  now: number,
): NotApplied | undefined {
  if (!covers(conditions, facts)) return "outside";
  if (now < startsAt) return "rehearsed";
  if (now >= expiresAt) return "expired";
  if (does === "deny") return sameNames(conditions.fences, facts.fences) ? undefined : "outside";
  const [fence] = facts.fences;
  if (fence !== undefined) return fence;
  if (today >= perDay) return "daily_limit";
  return spentMicros + facts.micros > budgetMicros ? "budget" : undefined;
}

/** True if a call meets every condition. A call of an unknown agent meets none. */
export function covers(conditions: RuleConditions, facts: CallFacts): boolean {
  return facts.caller !== "" && CONDITION_NAMES.every((name) => meets(conditions, name, facts));
}

export function meets(
  conditions: RuleConditions,
  name: (typeof CONDITION_NAMES)[number],
  facts: CallFacts,
): boolean {
  switch (name) {
    case "length":
    case "micros":
    case "amount":
      return facts[name] >= conditions[name].from && facts[name] <= conditions[name].to;
    case "argumentKinds":
      return sameNames(conditions.argumentKinds, facts.argumentKinds);
    default:
      return conditions[name] === facts[name];
  }
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return canonicalJson([...one].sort()) === canonicalJson([...other].sort());
}

/** True if a rule would decide about the call, within its time and its limits. */
export function isAbout(
  { does, conditions }: Pick<LearnedRule, "does" | "conditions">,
  facts: CallFacts,
): boolean {
  const fences = does === "allow" ? [] : conditions.fences;
  return covers(conditions, facts) && sameNames(fences, facts.fences);
}

/** True if every call that meets these conditions also meets the others. */
export function isWithin(inner: RuleConditions, outer: RuleConditions): boolean {
  const isInside = ({ from, to }: Range, wider: Range) => from >= wider.from && to <= wider.to;
  return (
    sameNames(inner.fences, outer.fences) &&
    CONDITION_NAMES.every((name) => {
      switch (name) {
        case "length":
        case "micros":
        case "amount":
          return isInside(inner[name], outer[name]);
        case "argumentKinds":
          return sameNames(inner.argumentKinds, outer.argumentKinds);
        default:
          return inner[name] === outer[name];
      }
    })
  );
}

/** The narrowest conditions that hold for all of these calls, which are of one group. */
export function conditionsOf(
  first: CallFacts,
  others: readonly CallFacts[],
  does: LearnedRule["does"],
): RuleConditions {
  const { scope, caller, tool, effect, argumentKinds, target, manner, fences } = first;
  const all = [first, ...others];
  const range = (name: "length" | "micros" | "amount"): Range => {
    const values = all.map((facts) => facts[name]);
    return { from: Math.min(...values), to: Math.max(...values) };
  };
  // A cheaper call of the same kind is allowed as well; to deny it, a person has to have rejected one.
  const upTo = (given: Range): Range => (does === "allow" ? { ...given, from: 0 } : given);
  return {
    scope,
    caller,
    tool,
    effect,
    argumentKinds,
    target,
    manner,
    length: range("length"),
    micros: upTo(range("micros")),
    amount: upTo(range("amount")),
    fences,
  };
}

/** The most days for which a person can accept a rule, and the default. */
export const MAX_RULE_DAYS = 90;
export const RULE_DAYS = 30;

/** When a rule accepted now begins and expires, and when its owner looks at it again: halfway. */
export function ruleDates(now: number, days: number = RULE_DAYS, rehearsalDays = 0) {
  const life = Math.min(Math.max(days, 1), MAX_RULE_DAYS) * DAY_MS;
  const startsAt = now + rehearsalDays * DAY_MS;
  return { acceptedAt: now, startsAt, expiresAt: startsAt + life, reviewAt: startsAt + Math.floor(life / 2) };
}
