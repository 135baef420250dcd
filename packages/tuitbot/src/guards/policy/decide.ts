import { isWithin } from "../../config/schedule-window.ts";
import type { Policy } from "./policy.ts";
import type { Mode, PolicyAction, PolicyRule } from "./rules.ts";

export type PolicyDecision =
  | { readonly kind: "allow"; readonly ruleId: string | undefined }
  | { readonly kind: "deny"; readonly ruleId: string; readonly reason: string }
  | {
      readonly kind: "require_approval";
      readonly ruleId: string;
      readonly reason: string;
      /** How many different people; absent for one. */
      readonly peopleNeeded?: number;
    }
  | { readonly kind: "dry_run"; readonly ruleId: string };

export interface Moment {
  readonly now: number;
  /** A person has approved exactly this. */
  readonly isApproved: boolean;
}

/**
 * Hard rules, then the safety phrases, then the operator's rules in their order, then the floors: the first that
 * matches decides, and an allowed mutation still has to pass the floors. What a person has approved needs no
 * approval any more, but what is denied stays denied.
 */
export function decide(policy: Policy, action: PolicyAction, { now, isApproved }: Moment): PolicyDecision {
  const first = (rules: readonly PolicyRule[]): PolicyDecision | undefined => {
    for (const rule of rules) {
      if (!matches(rule, action, policy.mode, now)) continue;
      if (isApproved && rule.action.type === "require_approval") continue;
      return decisionOf(rule);
    }
    return undefined;
  };
  const decided = first(policy.hard) ?? bannedPhrase(policy, action) ?? first(policy.rules);
  const decision =
    decided !== undefined && decided.kind !== "allow"
      ? decided
      : (first(policy.floors) ?? decided ?? { kind: "allow" as const, ruleId: undefined });
  if (decision.kind !== "require_approval") return decision;
  const peopleNeeded = peopleFor(policy, action, now);
  return peopleNeeded === 1 ? decision : { ...decision, peopleNeeded };
}

/** How many people the operator's rules ask for, whichever rule asks first: those of the product want one. */
function peopleFor(policy: Policy, action: PolicyAction, now: number): number {
  const rule = policy.rules.find((one) => matches(one, action, policy.mode, now))?.action;
  return rule?.type === "require_approval" ? (rule.approvals_needed ?? 1) : 1;
}

function decisionOf({ id, action }: PolicyRule): PolicyDecision {
  switch (action.type) {
    case "allow":
      return { kind: "allow", ruleId: id };
    case "dry_run":
      return { kind: "dry_run", ruleId: id };
    case "deny":
    case "require_approval":
      return { kind: action.type, ruleId: id, reason: action.reason };
  }
}

function bannedPhrase({ safety }: Policy, { isReply, texts }: PolicyAction): PolicyDecision | undefined {
  if (!isReply) return undefined;
  const said = texts.map((text) => text.toLowerCase());
  const phrase = safety.banned_phrases.find((banned) =>
    said.some((text) => text.includes(banned.toLowerCase())),
  );
  if (phrase === undefined) return undefined;
  return {
    kind: "deny",
    ruleId: "limits:banned_phrase",
    reason: `No reply may say ${JSON.stringify(phrase)} (limits.banned_phrases).`,
  };
}

function matches(rule: PolicyRule, action: PolicyAction, mode: Mode, now: number): boolean {
  const { tools = [], categories = [], modes = [], schedule_window, test } = rule.conditions;
  const concerned = rule.action.type === "allow" ? action.tools : [...action.tools, ...action.includes];
  return (
    (tools.length === 0 || concerned.some((tool) => tools.includes(tool))) &&
    (categories.length === 0 || action.categories.some((category) => categories.includes(category))) &&
    (modes.length === 0 || modes.includes(mode)) &&
    (schedule_window === undefined || isWithin(schedule_window, now)) &&
    (test === undefined || test(action))
  );
}
