import { type Failed, type Failure, failed } from "@toolpact/contract";

/** At most so many in so long, counted from the first. */
export interface Limit {
  /** Names the counter. */
  readonly key: string;
  readonly max: number;
  readonly periodMs: number;
}

/** One place taken in the window that began then. */
export interface LimitHold {
  readonly key: string;
  readonly windowStart: number;
}

export interface LimitReached {
  readonly limit: Limit;
  readonly resetsAt: number;
}

export function limitReached({
  limit,
  resetsAt,
}: LimitReached): Failed<Failure<"policy_denied_rate_limited">> {
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
