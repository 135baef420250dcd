import type { Failure } from "@toolpact/contract";
import { type BudgetCaps, wouldExceed } from "@toolpact/contract/internal/guards";
import { microsOf } from "@toolpact/contract/internal/money";
import { operations, priceBefore } from "@toolpact/x-api";
import type { Agent } from "../agents/agent.ts";
import type { AccountLedger } from "../guards/budget/bill.ts";
import { capsFor, overBudget } from "../guards/mutation/budget.ts";
import { decide, POST_TOOL, type PolicyAction, type PolicyDecision } from "../guards/policy/decide.ts";
import type { RateLimitStatus } from "../guards/policy/limits.ts";
import type { Policy } from "../guards/policy/policy.ts";
import { type AgentStop, stoppedByPerson } from "../guards/stop/stop.ts";
import { type Connection, clockTrouble } from "../x/connection.ts";
import { FORBIDDEN_FIXES, SIGN_IN } from "../x/x-errors.ts";
import type { ServerState } from "./services.ts";

type FixBy = NonNullable<Failure["fixBy"]>;

/** Every report of a server's state is made from this. */
export interface Readiness {
  readonly canAct: boolean;
  readonly obstacles: readonly Obstacle[];
}

export interface Obstacle {
  /** For programs, such as `stopped_by_person`. */
  readonly reason: string;
  readonly message: string;
  readonly fix: string;
  readonly fixBy: FixBy;
  readonly blocks: readonly Ability[];
  /** The configuration names something unusable. */
  readonly isOfConfiguration?: true;
}

export type Ability = (typeof abilities)[number];

export const abilities = ["read", "post", "reply"] as const;

const CHANGES: readonly Ability[] = ["post", "reply"];

export function readinessOf(obstacles: readonly Obstacle[]): Readiness {
  return { canAct: CHANGES.some((ability) => isAble(obstacles, ability)), obstacles };
}

/** Asks X who is signed in. */
export async function serverState(server: ServerState, signal: AbortSignal) {
  const [connection, { stored, obstacles }] = await Promise.all([
    server.connection(signal),
    storedState(server, signal),
  ]);
  return { connection, stored, readiness: readinessOf([...xObstacles(connection), ...obstacles]) };
}

/** Without asking X. */
export async function localReadiness(server: ServerState, signal: AbortSignal): Promise<Readiness> {
  const [signIn, { obstacles }] = await Promise.all([server.signInId(), storedState(server, signal)]);
  return readinessOf([...signInObstacles(signIn), ...obstacles]);
}

async function storedState(server: ServerState, signal: AbortSignal) {
  const [stored, recentCalls] = await Promise.all([server.workflowStatus?.(signal), server.recentCalls?.()]);
  const ofCalls = recentCalls?.ok === false ? [recentCallsObstacle(recentCalls.failure)] : [];
  return { stored, obstacles: [...(stored?.obstacles ?? []), ...ofCalls] };
}

/** `utility-write` sends no change that it cannot write down first. */
function recentCallsObstacle(message: string): Obstacle {
  return {
    reason: "recent_calls_unusable",
    message,
    fix: "The operator makes the file writable, deletes it if it is damaged, or moves it with auth.token_file.",
    fixBy: "operator",
    blocks: CHANGES,
    isOfConfiguration: true,
  };
}

export function isAble(obstacles: readonly Obstacle[], ability: Ability): boolean {
  return obstacles.every(({ blocks }) => !blocks.includes(ability));
}

export function readinessView({ canAct, obstacles }: Readiness) {
  return {
    can_act: canAct,
    blocked_by: obstacles.map(({ reason, message, fix, fixBy, blocks }) => ({
      reason,
      message,
      fix,
      fix_by: fixBy,
      blocks: [...blocks],
    })),
  };
}

/** X, the sign-in, its permissions and the clock. */
export function xObstacles(connection: Connection): readonly Obstacle[] {
  if (connection.status !== "ok") {
    const { status, message, fix } = connection;
    // The reason that X was not asked is an obstacle itself.
    const blocks = status === "unknown" ? [] : abilities;
    return [{ reason: `x_${status}`, message, fix, fixBy: FIXED_BY[status], blocks }];
  }
  const clock = clockTrouble(connection.aheadMs ?? 0);
  return [
    ...(clock === undefined
      ? []
      : [{ reason: "clock_wrong", ...clock, fixBy: "operator" as const, blocks: [] }]),
    ...missingScopes(connection.scopes),
  ];
}

function missingScopes(scopes: readonly string[] | undefined): readonly Obstacle[] {
  if (scopes === undefined) return [];
  const lacking = abilities.filter((ability) => scopesFor(ability).some((scope) => !scopes.includes(scope)));
  if (lacking.length === 0) return [];
  const missing = [...new Set(lacking.flatMap(scopesFor))].filter((scope) => !scopes.includes(scope));
  return [
    {
      reason: "missing_scope",
      message: `The sign-in does not allow ${missing.join(", ")}.`,
      fix: `Run \`${SIGN_IN}\` and allow ${missing.join(", ")}.`,
      fixBy: FORBIDDEN_FIXES.missing_scope.fixBy,
      blocks: lacking,
    },
  ];
}

/** Without asking X. */
export function signInObstacles(signInId: string | undefined): readonly Obstacle[] {
  return signInId !== undefined
    ? []
    : xObstacles({
        status: "not_configured",
        message: "Nobody is signed in to X, or the stored sign-in cannot be read.",
        fix: `Run \`${SIGN_IN}\`.`,
      });
}

const FIXED_BY: Readonly<Record<Exclude<Connection["status"], "ok">, FixBy>> = {
  not_configured: "operator",
  expired: "operator",
  restricted: "human",
  limited: "agent",
  refused: "operator",
  unreachable: "agent",
  unknown: "operator",
};

function scopesFor(ability: Ability): readonly string[] {
  const { auth } = operations[OPERATIONS[ability]];
  return auth.flatMap((way) => (way.scheme === "oauth2" ? way.scopes : []));
}

const OPERATIONS = { read: "searchPostsRecent", post: "createPosts", reply: "createPosts" } as const;

export function configObstacle(message: string, fix: string): Obstacle {
  return {
    reason: "configuration_wrong",
    message,
    fix,
    fixBy: "operator",
    blocks: abilities,
    isOfConfiguration: true,
  };
}

/** Nothing is sent without the database, because reads cost money, which it counts. */
export function storageObstacle(failure: Failure): Obstacle {
  const { message, reason = "failed", suggestedFix = "Run `tuitbot doctor`.", fixBy = "operator" } = failure;
  const shared = { message, fix: suggestedFix, fixBy, blocks: abilities };
  return reason === "account_unknown"
    ? { reason, ...shared }
    : { reason: `database_${reason}`, ...shared, isOfConfiguration: true };
}

/** Without the key, nothing can wait for approval or be approved. */
export function keyObstacle({ message, suggestedFix = "" }: Failure, blocks = CHANGES): Obstacle {
  return {
    reason: "approval_key_unusable",
    message: `${message} Calls that need approval fail.`,
    fix: suggestedFix,
    fixBy: "operator",
    blocks,
    isOfConfiguration: true,
  };
}

/** By the policy's decision about their plainest call. */
export function decidedBy(
  policy: Policy,
  kinds: readonly PolicyDecision["kind"][],
  now: number,
): readonly Ability[] {
  return CHANGES.filter((ability) =>
    kinds.includes(decide(policy, plainest(ability), { now, isApproved: false }).kind),
  );
}

function plainest(ability: Ability): PolicyAction {
  const isReply = ability === "reply";
  return {
    tools: [isReply ? "x_reply_to_tweet" : POST_TOOL],
    includes: [],
    categories: ["write"],
    ...(isReply && { engagement: "reply" }),
    posts: 1,
    texts: [],
    isReply,
    ...{ isByPerson: false, isSecondReply: false, mentions: false },
  };
}

export interface StoredState {
  readonly stop: AgentStop | undefined;
  readonly limits: readonly RateLimitStatus[];
  readonly ledger: Pick<AccountLedger, "spent" | "spentBy">;
  readonly caps: BudgetCaps;
  /** If an agent wants to act. */
  readonly agent: Agent | undefined;
  readonly policy: Policy;
  readonly now: number;
}

/** A stop, the operator's rules, the budget and limits. */
export async function storedObstacles(state: StoredState): Promise<readonly Obstacle[]> {
  const { stop, limits, policy, now } = state;
  const denied = decidedBy(policy, ["deny", "dry_run"], now);
  return [
    ...(denied.length === 0
      ? []
      : [
          {
            reason: "policy_rule",
            message: "A rule of the operator does not let this be sent.",
            fix: "See get_policy_status. The operator changes the rules under mcp_policy.",
            fixBy: "operator" as const,
            blocks: denied,
          },
        ]),
    ...(stop === undefined ? [] : [fromFailure(stoppedByPerson(stop).failure, CHANGES)]),
    ...(await budgetObstacle(state)),
    ...limits.flatMap(({ action_type, remaining, max_requests, period_start, period_seconds }) => {
      const ability = LIMITED[action_type];
      if (ability === undefined || remaining > 0) return [];
      const ends = new Date(Date.parse(period_start) + period_seconds * 1_000).toISOString();
      return [
        {
          reason: "policy_limit",
          message: `The limit ${action_type} (${max_requests} in ${period_seconds} s) is used up.`,
          fix: `Wait until ${ends}.`,
          fixBy: "agent" as const,
          blocks: [ability],
        },
      ];
    }),
  ];
}

const LIMITED: Readonly<Record<string, Ability | undefined>> = {
  tweets_per_day: "post",
  replies_per_day: "reply",
};

/** No room for one post, or one search. */
async function budgetObstacle({
  ledger,
  caps: ofAccount,
  agent,
  now,
}: StoredState): Promise<readonly Obstacle[]> {
  const caps = capsFor(ofAccount, agent);
  const over = await Promise.all(
    abilities.map((ability) => wouldExceed(ledger, microsOf(PRICES[ability].usd), caps, now)),
  );
  const found = over.findLast((one) => one !== undefined);
  if (found === undefined) return [];
  const blocks = abilities.filter((_, index) => over[index] !== undefined);
  return [fromFailure(overBudget(found).failure, blocks)];
}

/** The cheapest search, post and reply. */
const PRICES = {
  read: priceBefore("searchPostsRecent", { query: { max_results: 10 } }),
  post: priceBefore("createPosts", { body: { text: "" } }),
  reply: priceBefore(
    "createPosts",
    { body: { text: "", reply: { in_reply_to_tweet_id: "1" } } },
    { isSummoned: true },
  ),
} as const;

function fromFailure(failure: Failure, blocks: readonly Ability[]): Obstacle {
  const { reason = failure.code, message, suggestedFix = "", fixBy = "operator", rateLimitReset } = failure;
  return {
    reason,
    // A call's failure ends with what became of it.
    message: message.replace(/ Nothing was sent\.$/, ""),
    fix:
      rateLimitReset === undefined ? suggestedFix : suggestedFix.replace("rate_limit_reset", rateLimitReset),
    fixBy,
    blocks,
  };
}
