import type { Limit } from "./limit.ts";
import type { Policy } from "./policy.ts";
import type { PolicyAction } from "./policy-rule.ts";
import type { WrittenLimit } from "./templates.ts";

/** Every limit under which this mutation needs a place. */
export function limitsFor(policy: Policy, action: PolicyAction): readonly Limit[] {
  return [
    ...policy.limits.filter((limit) => isAbout(limit, action)).map(asLimit),
    ...safetyLimits(policy, action),
  ];
}

/** Every limit, to be displayed. */
export function allLimits(policy: Policy): readonly Limit[] {
  return [...policy.limits.map(asLimit), ...Object.values(safety(policy))];
}

function isAbout({ dimension, match_value }: WrittenLimit, action: PolicyAction): boolean {
  if (dimension === "global" || match_value === "" || match_value === "*") return true;
  switch (dimension) {
    case "tool":
      return action.tools.includes(match_value);
    case "category":
      return action.categories.some((category) => category === match_value);
    case "engagement_type":
      return action.engagement === match_value;
  }
}

function asLimit({ key, max_count, period_seconds }: WrittenLimit): Limit {
  return { key, max: max_count, periodMs: period_seconds * 1_000 };
}

function safetyLimits(
  policy: Policy,
  { categories, isReply, engagement, texts }: PolicyAction,
): readonly Limit[] {
  const { replies, posts, threads } = safety(policy);
  if (isReply) return [replies];
  if (categories.includes("thread")) return [threads];
  // Continuing one's own post is a reply, and does not count as a post of the day.
  return texts.length > 0 && engagement !== "reply" ? [posts] : [];
}

function safety({ safety: limits }: Policy): Readonly<Record<"replies" | "posts" | "threads", Limit>> {
  return {
    replies: { key: "replies_per_day", max: limits.max_replies_per_day, periodMs: DAY_MS },
    posts: { key: "tweets_per_day", max: limits.max_tweets_per_day, periodMs: DAY_MS },
    threads: { key: "threads_per_week", max: limits.max_threads_per_week, periodMs: 7 * DAY_MS },
  };
}

const DAY_MS = 86_400_000;
