import { type Failed, type Failure, failed } from "@toolpact/contract";
import type { Limit, LimitReached, LimitWindow } from "@toolpact/contract/internal/guards";

/** At most so many in so long, counted from the first. */
export interface PolicyLimit extends Limit {
  /** Names the counter. */
  readonly key: string;
  /** The setting that it comes from. */
  readonly setting: string;
}

/** A limit under which a mutation needs places. */
export interface LimitNeed extends PolicyLimit {
  /** One place for each post that it publishes; undefined where it needs one as a whole. */
  readonly posts?: number;
}

/** Places taken in the window that began then. */
export interface LimitHold extends Pick<LimitNeed, "key" | "posts">, Pick<LimitWindow, "windowStart"> {}

export type PolicyLimitReached = LimitReached<LimitNeed>;

export function placesOf({ posts = 1 }: LimitNeed): number {
  return posts;
}

export function limitReached({
  limit,
  resetsAt,
}: PolicyLimitReached): Failed<Failure<"policy_denied_rate_limited">> {
  const { key, max, periodMs, setting } = limit;
  const posts = placesOf(limit);
  const allowed = `The limit ${key} (${max} in ${periodMs / 1_000} s)`;
  return failed({
    code: "policy_denied_rate_limited",
    reason: "policy_limit",
    policyDecision: "denied",
    message:
      posts === 1
        ? `${allowed} is used up. Nothing was sent.`
        : resetsAt === undefined
          ? `${allowed} is lower than the ${posts} posts of this call, so that it fits at no time. Nothing was sent.`
          : `${allowed} has no room for ${posts} posts. Nothing was sent.`,
    ...(resetsAt === undefined
      ? {
          suggestedFix: `Publish at most ${max} posts, or have the operator raise ${setting} to ${posts} or more.`,
        }
      : {
          suggestedFix: "Wait for rate_limit_reset.",
          rateLimitReset: new Date(resetsAt).toISOString(),
        }),
    fixBy: "agent",
    details: { limit: key, max, period_seconds: periodMs / 1_000, ...(posts > 1 && { needed: posts }) },
  });
}
