import { type Clock, EFFECTS } from "@toolpact/contract";
import { type BoundStack, deadline, deadlineWith, successEnvelope } from "@toolpact/contract/internal";
import type { WaitingCalls } from "@toolpact/contract/internal/guards";
import type { EffectiveConfig } from "../config/effective-config.ts";
import { errors } from "../errors.ts";
import type { CallContext } from "../guards/call/call-context.ts";
import type { CallPlan, ToolFacts, TuitbotTool } from "../guards/call/tool-facts.ts";
import type { GuardDependencies } from "../guards/guard-dependencies.ts";
import { budget, cost } from "../guards/mutation/budget.ts";
import { plan, protect } from "../guards/mutation/protect.ts";
import {
  account,
  accountIfSignedIn,
  decisions,
  readLimits,
  rememberTexts,
  storedAccount,
} from "../guards/stack/caller-guards.ts";
import { recentCalls } from "../guards/stack/recent-calls.ts";
import type { RecentCalls } from "../guards/stack/recent-calls-file.ts";
import type { ReadTexts } from "../injection/read-texts.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "../profiles.ts";
import { product } from "../tools/product.ts";

/** Version of the envelope, which the specification puts into the metadata. */
const TOOL_VERSION = "1.0";

type Stack = BoundStack<ToolFacts, CallPlan, CallContext>;

/** Answers of `write` and `admin` also have mode and approval. */
function withMode({ config }: { readonly config: EffectiveConfig }) {
  return successEnvelope(errors, {
    toolVersion: TOOL_VERSION,
    meta: () => ({ mode: config.values.mode, approval_mode: config.approvalMode }),
  });
}

/** The same for a call that ended when nobody waited for it any more: how long it took says nothing. */
export function taskFormat(config: EffectiveConfig) {
  return successEnvelope(errors, {
    timing: false,
    toolVersion: TOOL_VERSION,
    meta: () => ({ mode: config.values.mode, approval_mode: config.approvalMode }),
  });
}

// Reading these lists tells everything that can happen to a call.

/** `utility-readonly` and `utility-write`. */
const utility = product
  .guardStack("utility")
  // Outside the deadline, so calls cut off by it count as open.
  .use(recentCalls)
  .use(deadline)
  .answering(successEnvelope(errors, { timing: false, toolVersion: TOOL_VERSION }));

/** `readonly` and `api-readonly`. */
const plainReads = product
  .guardStack("read")
  .use(deadline)
  .use(cost)
  .answering(successEnvelope(errors, { toolVersion: TOOL_VERSION }));

/** Reads of X in `write` and `admin`. */
const reads = product
  .guardStack("workflow read")
  .use(deadline)
  .use(accountIfSignedIn)
  .use(decisions)
  .use(rememberTexts)
  .use(readLimits)
  .use(budget)
  .answering(withMode);

/** Reads of X whose result is stored, or that depend on what is stored. */
const recordedReads = product
  .guardStack("workflow recorded")
  .use(deadline)
  .use(account)
  .use(decisions)
  .use(rememberTexts)
  .use(readLimits)
  .use(budget)
  .answering(withMode);

/** Advice after the deadline of a call with a receipt, which is named by its call. */
const mutationDeadline = deadlineWith(
  () => errors.roles.deadline,
  ({ id }) => ({
    suggestedFix:
      "Call again after retry_after_ms with the same arguments: X is asked what became of it before anything is sent. get_mutation_detail shows its receipt.",
    retryAfterMs: 5_000,
    details: { receipt: { correlation_id: id } },
  }),
);

/** One list for agents, the command line, approvals and scheduled posts: nothing is published around it. */
const mutations = product
  .guardStack("workflow")
  .use(mutationDeadline)
  .use(account)
  .use(decisions)
  .use(plan)
  .use(protect)
  .answering(withMode);

const localDeadline = deadlineWith(({ needs }) => (needs.includes("llm") ? "llm_error" : "db_error"));

/** Reads and changes of what this product stores: X is not needed. */
const local = product
  .guardStack("workflow local")
  .use(localDeadline)
  .use(storedAccount)
  .use(decisions)
  .use(rememberTexts)
  .use(readLimits)
  .answering(withMode);

/** The same where calls that go to X follow from it. */
const localWithCalls = product
  .guardStack("workflow local with calls")
  .use(deadline)
  .use(account)
  .use(decisions)
  .answering(withMode);

const workflow = { reads, recordedReads, mutations, local, localWithCalls };

/** The guards before a tool of a profile. */
export function stackOf(profile: Profile, tool: TuitbotTool) {
  if (isUtilityProfile(profile)) return utility;
  return isWorkflowProfile(profile) ? workflow[kindOf(tool)] : plainReads;
}

function kindOf({ facts, effects, needs }: TuitbotTool): keyof typeof workflow {
  if (!facts.isLocal && effects.some((effect) => EFFECTS[effect].mutates)) return "mutations";
  // A tool that needs nothing stored needs no account either.
  if (!needs.includes("db") && !needs.includes("approvals")) return "reads";
  if (needs.includes("x")) return "recordedReads";
  return facts.makesCalls ? "localWithCalls" : "local";
}

/** The stacks of a profile that stores nothing, bound to this process. */
export function bindPlain(profile: Profile, clock: Clock, recent: RecentCalls): (tool: TuitbotTool) => Stack {
  const bound = isUtilityProfile(profile)
    ? utility.bind({ clock, recentCalls: recent })
    : plainReads.bind({ clock, now: () => clock.now() });
  return () => bound;
}

export interface WorkflowDependencies extends GuardDependencies {
  readonly config: EffectiveConfig;
  readonly readTexts: ReadTexts;
}

/** The stacks of `write` and `admin`, bound to this process. */
export function bindWorkflow(given: WorkflowDependencies): (tool: TuitbotTool) => Stack {
  const waitingCalls: WaitingCalls = new Map();
  const dependencies = { ...given, waitingCalls };
  const bound = {
    reads: reads.bind(dependencies),
    recordedReads: recordedReads.bind(dependencies),
    mutations: mutations.bind(dependencies),
    local: local.bind(dependencies),
    localWithCalls: localWithCalls.bind(dependencies),
  } satisfies Record<keyof typeof workflow, Stack>;
  return (tool) => bound[kindOf(tool)];
}
