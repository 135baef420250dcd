import { type Failed, type Failure, failed } from "@toolpact/contract";
import type { LimitReached } from "./limits.ts";

export function limitReached({ limit, resetsAt }: LimitReached): Failed<Failure> {
  return failed({
    code: "policy_denied_rate_limited",
    reason: "policy_limit",
    policyDecision: "denied",
    message: `The limit ${limit.key} (${limit.max} in ${limit.periodMs / 1_000} s) is used up. Nothing was sent.`,
    suggestedFix: "Wait for rate_limit_reset.",
    fixBy: "agent",
    rateLimitReset: new Date(resetsAt).toISOString(),
    details: { limit: limit.key, max: limit.max, period_seconds: limit.periodMs / 1_000 },
  });
}

export function secondReply(): Failed<Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    policyDecision: "denied",
    message:
      "This account has answered that post. X allows an automated account one reply to a post. Nothing was sent.",
    fixBy: "human",
    details: { matched_rule_id: "hard:x_one_reply" },
  });
}
