import { DAY_MS } from "../../clock.ts";
import { canonicalJson } from "../../json.ts";
import type { Micros } from "../money.ts";
import type { CallFacts, Fence } from "./call-facts.ts";

/** A rule a person accepted, for one account and one agent. */
export interface LearnedRule {
  readonly does: "allow" | "deny";
  readonly conditions: RuleConditions;
  /** Calls per UTC day. A rule that denies has no limits. */
  readonly perDay: number;
  readonly budgetMicros: Micros;
  readonly acceptedAt: number;
  /** Until then it is only rehearsed. */
  readonly startsAt: number;
  readonly expiresAt: number;
  /** When its owner is reminded to review it. */
  readonly reviewAt: number;
}

export interface RuleConditions
  extends Pick<CallFacts, "scope" | "caller" | "tool" | "effect" | "argumentKinds" | "target" | "manner"> {
  readonly length: Range;
  readonly micros: Range;
  readonly amount: Range;
  /** A denying rule covers calls with exactly these fences; an allowing one covers none with any. */
  readonly fences: readonly Fence[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface RuleUse {
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

/** The narrowest conditions that hold for all these calls of one group. */
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
  // A cheaper call is allowed too, but denied only if a person rejected one.
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

export const MAX_RULE_DAYS = 90;
export const RULE_DAYS = 30;

/** When a rule accepted now begins, expires, and is reviewed (halfway). */
export function ruleDates(now: number, days: number = RULE_DAYS, rehearsalDays = 0) {
  const life = Math.min(Math.max(days, 1), MAX_RULE_DAYS) * DAY_MS;
  const startsAt = now + rehearsalDays * DAY_MS;
  return { acceptedAt: now, startsAt, expiresAt: startsAt + life, reviewAt: startsAt + Math.floor(life / 2) };
}
