import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import {
  type Limit,
  type LimitReached,
  type LimitWindow,
  lastToReset,
  neverFits,
  windowEnd,
  windowNow,
} from "@toolpact/contract/internal/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import type { Kysely } from "kysely";
import type { Agent } from "../../agents/agent.ts";
import type { WrittenLimit } from "../../config/written-limit.ts";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/transaction.ts";
import type { PolicyCategory } from "../../x/operation-table.ts";
import { POST_TOOL, type PolicyAction } from "./decide.ts";
import type { Policy } from "./policy.ts";

/** Counted from the first call. */
export interface PolicyLimit extends Limit {
  readonly key: string;
  readonly setting: string;
}

/** With the places needed. */
export interface LimitNeed extends PolicyLimit {
  /** Places per post; default one for the call. */
  readonly posts?: number;
  /** For a learned rule's budget, in place of places. */
  readonly micros?: Micros;
}

/** In that window. */
export interface LimitHold
  extends Pick<LimitNeed, "key" | "posts" | "micros">,
    Pick<LimitWindow, "windowStart"> {}

export type PolicyLimitReached = LimitReached<LimitNeed>;

export function placesOf({ posts = 1, micros = posts }: LimitNeed): number {
  return micros;
}

export function limitReached({
  limit,
  resetsAt,
}: PolicyLimitReached): Failed<Failure<"policy_denied_rate_limited">> {
  const { key, max, periodMs, setting } = limit;
  const { posts = 1 } = limit;
  const allowed = `The limit ${key} (${max} in ${periodMs / 1_000} s)`;
  return failed({
    code: "policy_denied_rate_limited",
    reason: "policy_limit",
    policyDecision: "denied",
    message:
      posts === 1
        ? `${allowed} is used up. Nothing was sent.`
        : resetsAt === undefined
          ? `${allowed} is lower than the ${posts} posts of this call, so it can never fit. Nothing was sent.`
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

/** One place per post under limits on posts, one per call under limits on calls. */
export function limitsFor(policy: Policy, action: PolicyAction): readonly LimitNeed[] {
  return [...needsUnder(policy.limits, action, SETTING), ...safetyLimits(policy, action)];
}

/** Under the agent's limits. */
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

/** For display. */
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
  // Replies to others have a separate limit; continuing one's own post counts as a post.
  if (action.isReply) return [replies];
  if (action.posts === 0) return [];
  const needed = { ...posts, posts: action.posts };
  return action.categories.includes("thread") ? [threads, needed] : [needed];
}

function safety({ safety: limits }: Policy) {
  const of = (
    key: string,
    name: `max_${string}` & keyof typeof limits,
    periodMs: number = DAY_MS,
  ): PolicyLimit => {
    return { key, max: limits[name], periodMs, setting: `limits.${name}` };
  };
  return {
    replies: of("replies_per_day", "max_replies_per_day"),
    posts: of("tweets_per_day", "max_tweets_per_day"),
    threads: of("threads_per_week", "max_threads_per_week", 7 * DAY_MS),
  };
}

/** All or none, and then returns the limit that resets last. Configuration changes apply immediately. */
export async function takePlaces(
  db: Kysely<Database>,
  account: string,
  limits: readonly LimitNeed[],
  now: number,
): Promise<Outcome<readonly LimitHold[], PolicyLimitReached>> {
  const tooMany = neverFits(limits, placesOf);
  if (tooMany !== undefined) return failed(tooMany);
  // Sorted to avoid deadlocks.
  const sorted = limits.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const starts = await Promise.all(sorted.map((limit) => take(db, account, limit, now)));
  const full = sorted.filter((_, index) => starts[index] === undefined);
  const uses = full.length === 0 ? [] : await limitUse(db, account, full, now);
  const reached = lastToReset(uses.map(({ limit, ...use }) => ({ limit, resetsAt: windowEnd(limit, use) })));
  if (reached !== undefined) return failed(reached);
  const holds: LimitHold[] = [];
  for (const [index, limit] of sorted.entries()) {
    const windowStart = starts[index] ?? now;
    const { key, posts, micros } = limit;
    holds.push({
      key,
      windowStart,
      ...(posts !== undefined && { posts }),
      ...(micros !== undefined && { micros }),
    });
  }
  return ok(holds);
}

/** In the same window: all, or all but one per published post. */
export async function giveBack(
  db: Kysely<Database>,
  account: string,
  holds: readonly LimitHold[],
  postsOut = 0,
): Promise<void> {
  for (const { key, windowStart, posts, micros = 1 } of holds) {
    const unused = posts === undefined ? (postsOut === 0 ? micros : 0) : Math.max(0, posts - postsOut);
    if (unused === 0) continue;
    await db
      .updateTable("limit_counters")
      .set((eb) => ({ used: eb("used", "-", unused) }))
      .where("account", "=", account)
      .where("key", "=", key)
      .where("window_start", "=", windowStart)
      .where("used", ">=", unused)
      .execute();
  }
}

export interface LimitUse<Of extends PolicyLimit = PolicyLimit> extends LimitWindow {
  readonly limit: Of;
}

export async function limitUse<Of extends PolicyLimit>(
  db: Kysely<Database>,
  account: string,
  limits: readonly Of[],
  now: number,
): Promise<readonly LimitUse<Of>[]> {
  const rows = await db.selectFrom("limit_counters").selectAll().where("account", "=", account).execute();
  return limits.map((limit) => {
    const row = rows.find(({ key }) => key === limit.key);
    const last = row && { used: row.used, windowStart: row.window_start };
    return { limit, ...windowNow(limit, last, now) };
  });
}

/** In one statement. An ended window restarts. */
async function take(
  db: Kysely<Database>,
  account: string,
  limit: LimitNeed,
  now: number,
): Promise<number | undefined> {
  const { key, max, periodMs } = limit;
  const places = placesOf(limit);
  const { rows } = await count(db, {
    account,
    key,
    places,
    room: max - places,
    now,
    border: now - periodMs,
  });
  return rows[0]?.window_start;
}

interface Places {
  readonly account: string;
  readonly key: string;
  readonly places: number;
  /** Used before, at most. */
  readonly room: number;
  readonly now: number;
  /** Later windows have not ended. */
  readonly border: number;
}

const count = prepared((db, { account, key, places, room, now, border }: Places) =>
  db
    .insertInto("limit_counters")
    .values({ account, key, window_start: now, used: places })
    .onConflict((conflict) =>
      conflict
        .columns(["account", "key"])
        .doUpdateSet((eb) => {
          const isOver = eb("limit_counters.window_start", "<=", border);
          return {
            // Kysely writes bare numbers into the statement, which would be new every time.
            window_start: eb
              .case()
              .when(isOver)
              .then(eb.val(now))
              .else(eb.ref("limit_counters.window_start"))
              .end(),
            used: eb
              .case()
              .when(isOver)
              .then(eb.val(places))
              .else(eb("limit_counters.used", "+", places))
              .end(),
          };
        })
        .where((eb) =>
          eb.or([eb("limit_counters.window_start", "<=", border), eb("limit_counters.used", "<=", room)]),
        ),
    )
    .returning("window_start"),
);

export type RateLimitStatus = Awaited<ReturnType<typeof rateLimits>>[number];

/** An ended window is empty. */
export async function rateLimits(db: Kysely<Database>, account: string, policy: Policy, now: number) {
  const uses = await limitUse(db, account, allLimits(policy), now);
  return uses.map(({ limit, used, windowStart }) => ({
    action_type: limit.key,
    request_count: used,
    max_requests: limit.max,
    period_start: new Date(windowStart).toISOString(),
    period_seconds: limit.periodMs / 1_000,
    remaining: Math.max(0, limit.max - used),
  }));
}
