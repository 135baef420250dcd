import { type Failed, type Failure, failed } from "@toolpact/contract";

export type SafetyRule = "self_reply" | "similar_reply" | "product_mentions";

export function refusedBySafety(rule: SafetyRule, why: string): Failed<Failure<"policy_denied_user_rule">> {
  return failed({
    code: "policy_denied_user_rule",
    policyDecision: "denied",
    message: `${why} Nothing was sent.`,
    suggestedFix: FIXES[rule],
    fixBy: "agent",
    details: { matched_rule_id: `safety:${rule}` },
  });
}

const FIXES: Readonly<Record<SafetyRule, string>> = {
  self_reply: "Reply to somebody else. To go on with a post of your own, use x_post_thread.",
  similar_reply: "Say something that fits this post alone.",
  product_mentions: "Leave the product out.",
};
