import { type BoundStack, type Clock, deadline, EFFECTS, successEnvelope } from "@toolpact/contract";
import type { ConfigInForce } from "../config/config-in-force.ts";
import { errors } from "../errors.ts";
import { account, accountIfSignedIn } from "../mutation/account/account-guard.ts";
import { availability } from "../mutation/availability/availability-guard.ts";
import { budget, cost } from "../mutation/budget/budget-guard.ts";
import type { CallContext } from "../mutation/call-context.ts";
import type { GuardDependencies } from "../mutation/dependencies.ts";
import { type KnownTool, type Plan, plan, type ToolFacts } from "../mutation/plan.ts";
import { policy } from "../mutation/policy/policy-guard.ts";
import { receipt } from "../mutation/receipts/receipt-guard.ts";
import { settleLeftovers } from "../mutation/receipts/settle.ts";
import { type RecentCalls, recentCallsInMemory } from "../mutation/repeat/recent-calls.ts";
import { recentCalls } from "../mutation/repeat/recent-calls-guard.ts";
import { repeat } from "../mutation/repeat/repeat-guard.ts";
import { safety } from "../mutation/safety/safety-guard.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "../profiles.ts";
import { product } from "../tools/product.ts";

type Stack = BoundStack<ToolFacts, Plan, CallContext>;

/** Answers of `write` and `admin` also have mode and approval. */
function withMode({ config }: { readonly config: ConfigInForce }) {
  return successEnvelope(errors, {
    meta: () => ({ mode: config.values.mode, approval_mode: config.approvalMode }),
  });
}

// Reading these lists tells everything that can happen to a call.

/** `utility-readonly` and `utility-write`. */
const utility = product
  .guardStack("utility")
  // Outside the deadline, so that what is cut off by it counts as open.
  .use(recentCalls)
  .use(deadline)
  .answering(successEnvelope(errors, { timing: false }));

/** `readonly` and `api-readonly`. */
const plainReads = product.guardStack("read").use(deadline).use(cost).answering(successEnvelope(errors));

/** Reads of X in `write` and `admin`. */
const reads = product
  .guardStack("workflow read")
  .use(deadline)
  .use(accountIfSignedIn)
  .use(budget)
  .answering(withMode);

/** Reads of what this product stores. */
const storedReads = product
  .guardStack("workflow stored")
  .use(deadline)
  .use(account)
  .use(budget)
  .answering(withMode);

/** One list for agents, the command line, approvals and scheduled posts: nothing is published around it. */
const mutations = product
  .guardStack("workflow")
  .use(deadline)
  .use(account)
  .use(plan)
  .use(settleLeftovers)
  .use(repeat)
  .use(availability)
  .use(budget)
  .use(safety)
  .use(policy)
  .use(receipt)
  .answering(withMode);

/** Tools that change nothing but this product's own state. */
const local = product.guardStack("workflow local").use(deadline).use(account).answering(withMode);

const workflow = { reads, storedReads, mutations, local };

/** The guards before a tool of a profile. */
export function stackOf(profile: Profile, tool: KnownTool) {
  if (isUtilityProfile(profile)) return utility;
  return isWorkflowProfile(profile) ? workflow[kindOf(tool)] : plainReads;
}

function kindOf({ facts, effects, needs }: KnownTool): keyof typeof workflow {
  // What needs nothing stored needs no account either.
  if (facts.isLocal) return needs.includes("db") ? "local" : "reads";
  if (effects.some((effect) => EFFECTS[effect].mutates)) return "mutations";
  return needs.includes("db") || needs.includes("approvals") ? "storedReads" : "reads";
}

/** The stacks of a profile that stores nothing, bound to this process. */
export function bindPlain(
  profile: Profile,
  clock: Clock,
  recent: RecentCalls = recentCallsInMemory(),
): (tool: KnownTool) => Stack {
  const bound = isUtilityProfile(profile)
    ? utility.bind({ clock, recentCalls: recent })
    : plainReads.bind({ clock, now: () => clock.now() });
  return () => bound;
}

export interface WorkflowDependencies extends GuardDependencies {
  readonly config: ConfigInForce;
}

/** The stacks of `write` and `admin`, bound to this process. */
export function bindWorkflow(dependencies: WorkflowDependencies): (tool: KnownTool) => Stack {
  const bound = {
    reads: reads.bind(dependencies),
    storedReads: storedReads.bind(dependencies),
    mutations: mutations.bind(dependencies),
    local: local.bind(dependencies),
  } satisfies Record<keyof typeof workflow, Stack>;
  return (tool) => bound[kindOf(tool)];
}
