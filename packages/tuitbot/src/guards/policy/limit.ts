import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import type { Limit, LimitReached, LimitWindow } from "@toolpact/contract/internal/guards";
import type { Agent } from "../../agents/agent.ts";
import type { WrittenLimit } from "../../config/written-limit.ts";
import { type PolicyCategory, policyCategories } from "../../x/operation-table.ts";
import { POST_TOOL, type PolicyAction } from "./decide.ts";
import { canonicalTool, type NamedTool, type Policy } from "./policy.ts";

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

/**
 * Every limit under which this mutation needs places. What publishes posts needs one for each of them under limits on
 * posts, whatever publishes them; under limits on calls it needs one.
 */
export function limitsFor(policy: Policy, action: PolicyAction): readonly LimitNeed[] {
  return [...needsUnder(policy.limits, action, SETTING), ...safetyLimits(policy, action)];
}

/** The same under the limits of the agent that makes the call. */
export function limitsOfAgent(agent: Agent | undefined, action: PolicyAction): readonly LimitNeed[] {
  return agent === undefined ? [] : needsUnder(agent.limits, action, `the limits of agent:${agent.name}`);
}

const SETTING = "mcp_policy.rate_limits";

function needsUnder(
  limits: readonly WrittenLimit[],
  action: PolicyAction,
  setting: string,
): readonly LimitNeed[] {
  const { posts } = action;
  return limits
    .filter((limit) => isAbout(limit, action))
    .map((limit) => ({
      ...asLimit(limit),
      setting,
      ...(posts > 0 && isOnPosts(limit) && { posts }),
    }));
}

/** Every limit, to be displayed. */
export function allLimits(policy: Policy): readonly PolicyLimit[] {
  return [...policy.limits.map(asLimit), ...Object.values(safety(policy))];
}

function isAbout({ dimension, match_value }: WrittenLimit, action: PolicyAction): boolean {
  if (dimension === "global" || match_value === "" || match_value === "*") return true;
  switch (dimension) {
    case "tool":
      return [...action.tools, ...action.includes].includes(match_value);
    case "category":
      return (
        action.categories.some((category) => category === match_value) ||
        (match_value === WRITE && action.posts > 0)
      );
    case "engagement_type":
      return action.engagement === match_value;
  }
}

const WRITE: PolicyCategory = "write";

function isOnPosts({ dimension, match_value }: WrittenLimit): boolean {
  return (
    (dimension === "tool" && match_value === POST_TOOL) || (dimension === "category" && match_value === WRITE)
  );
}

function asLimit({ key, max_count, period_seconds }: WrittenLimit): PolicyLimit {
  return { key, max: max_count, periodMs: period_seconds * 1_000, setting: SETTING };
}

function safetyLimits(policy: Policy, action: PolicyAction): readonly LimitNeed[] {
  const { replies, posts, threads } = safety(policy);
  // Replies to others have a limit of their own. One that continues a post of the account is a post.
  if (action.isReply) return [replies];
  if (action.posts === 0) return [];
  const needed = { ...posts, posts: action.posts };
  return action.categories.includes("thread") ? [threads, needed] : [needed];
}

function safety({ safety: limits }: Policy): Readonly<Record<"replies" | "posts" | "threads", PolicyLimit>> {
  return {
    replies: {
      key: "replies_per_day",
      max: limits.max_replies_per_day,
      periodMs: DAY_MS,
      setting: "limits.max_replies_per_day",
    },
    posts: {
      key: "tweets_per_day",
      max: limits.max_tweets_per_day,
      periodMs: DAY_MS,
      setting: "limits.max_tweets_per_day",
    },
    threads: {
      key: "threads_per_week",
      max: limits.max_threads_per_week,
      periodMs: 7 * DAY_MS,
      setting: "limits.max_threads_per_week",
    },
  };
}

/** A limit of an agent as people write it: `x_post_tweet=3/hour`, `engage=50/day`, `all=20/hour`. */
export function limitFrom(
  text: string,
  agent: string,
  tools: readonly NamedTool[],
): Outcome<WrittenLimit, string> {
  const [, what = "", count = "", period = ""] = /^([a-z_]+)=(\d{1,6})\/(hour|day|week)$/.exec(text) ?? [];
  const seconds = PERIODS[period];
  if (seconds === undefined)
    return failed(
      `${JSON.stringify(text)} is no limit. Write WHAT=COUNT/hour, /day or /week: engage=50/day.`,
    );
  const of = (dimension: WrittenLimit["dimension"], match_value: string): Outcome<WrittenLimit, string> =>
    ok({
      key: `agent:${agent}:${what}/${period}`,
      dimension,
      match_value,
      max_count: Number(count),
      period_seconds: seconds,
    });
  if (what === "all") return of("global", "");
  if (policyCategories.some((category) => category === what)) return of("category", what);
  const tool = canonicalTool(what, tools);
  return tool.ok
    ? of("tool", tool.value)
    : failed(
        `${JSON.stringify(what)} is neither all, nor one of ${policyCategories.join(", ")}, and ${tool.failure}`,
      );
}

/** The same limit in words. */
export function limitText({ key }: WrittenLimit): string {
  const [, , what = ""] = key.split(":");
  const [of = "", period = ""] = what.split("/");
  return `${of} per ${period}`;
}

const PERIODS: Readonly<Record<string, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
