import type { AnyOutcome, Guard, Next } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { ErrorCode } from "../../errors.ts";
import { adsRefused } from "../../x/toolkit/ads.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { refusedPost } from "../../x/toolkit/write.ts";
import type { XBill } from "../budget/bill.ts";
import type {
  Account,
  Annotations,
  CallContext,
  GivenContext,
  PlannedMutation,
} from "../call/call-context.ts";
import { type Mutation, type MutationCall, type MutationContext, planMutation } from "../call/mutation.ts";
import { actionOf, type CallPlan, isRaw, type ToolFacts, type TuitbotTool } from "../call/tool-facts.ts";
import { stopRefusal } from "../stop/stop.ts";
import { type BudgetDependencies, budgetCodes, budgetRefusal, capsFor, withBill } from "./budget.ts";
import { applyPolicy, type PolicyDependencies, policyCodes } from "./policy.ts";
import { answerAgain, type ReceiptDependencies, receiptCodes, runMutation } from "./receipt.ts";
import { checkRepeat, repeatCodes } from "./repeat.ts";
import { checkSafety, rememberRefusedReply, type SafetyDependencies, safetyCodes } from "./safety.ts";

/** Adds the plan of a mutation to the call, for `protect` and the audit log. */
export const plan: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  object,
  { readonly account: Account } & GivenContext,
  { readonly planned: PlannedMutation<Mutation> | undefined },
  never
> = {
  name: "plan",
  codes: () => [],
  run: (call, next) => next({ context: { planned: planMutation(call) } }),
};

export interface ProtectDependencies
  extends BudgetDependencies,
    SafetyDependencies,
    PolicyDependencies,
    ReceiptDependencies {
  readonly access: Access;
  /** Resolves what earlier processes left open. Quick if there is nothing. */
  readonly resolveLeftovers: (account: Account, signal: AbortSignal) => Promise<void>;
}

interface Required extends MutationContext {
  readonly planned: PlannedMutation<Mutation> | undefined;
}

type Added = Pick<CallContext, "planned" | "bill" | "journal">;

/**
 * Everything that happens to a mutation between its plan and X, in order. Each step needs the result of the one before
 * it. Repeats are answered first, so they use up neither limits nor money. Money and places are only checked here and
 * taken with the receipt, so no approval is asked for a call that could not be paid.
 */
export const protect: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  ProtectDependencies,
  Required,
  Added,
  ErrorCode
> = {
  name: "protect",
  codes: (tool) => [
    ...repeatCodes(tool),
    ...STOP_CODES,
    ...availabilityCodes(tool),
    ...budgetCodes(tool),
    ...safetyCodes(tool),
    ...policyCodes(tool),
    ...receiptCodes(tool),
  ],
  async run(call, next, dependencies) {
    const { planned, account, agent } = call.context;
    const { now, access, resolveLeftovers } = dependencies;
    const caps = capsFor(dependencies.caps, agent);
    if (planned === undefined)
      return withBill(call, { caps, now }, (bill) => next({ context: { ...(bill && { bill }) } }));

    await resolveLeftovers(account, call.signal);
    const repeated = await checkRepeat(call, planned, dependencies);
    if (repeated.kind === "answered") return repeated.outcome;
    if (repeated.kind === "done")
      return answerAgain({ call, planned }, dependencies, repeated.receipt, (journal) =>
        next({ context: { journal } }),
      );

    const refusal =
      (await stopRefusal(call, planned.record)) ??
      unavailable(planned.mutation, access) ??
      (await budgetRefusal(call.input, planned.mutation, account.ledger, caps, now()));
    if (refusal !== undefined) return refusal;

    return withBill(call, { caps, now }, async (bill) => {
      const outcome = await decideAndRun(call, planned, bill, dependencies, next);
      await rememberRefusedReply(call.context, planned, outcome);
      return outcome;
    });
  },
};

async function decideAndRun(
  call: MutationCall,
  planned: PlannedMutation<Mutation>,
  bill: XBill | undefined,
  dependencies: ProtectDependencies,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const safe = await checkSafety(call, planned, bill, dependencies);
  if (!safe.ok) return safe;
  const decided = await applyPolicy(call, safe.value, bill, dependencies);
  if (decided.kind === "answered") return decided.outcome;
  // Again, because the safety checks may have asked X and a model meanwhile.
  const stopped = await stopRefusal(call, planned.record);
  if (stopped !== undefined) return stopped;
  const { allowed } = decided;
  return runMutation({ call, ...allowed, bill }, dependencies, (journal) =>
    next({ context: { journal, planned: allowed.planned, ...(bill && { bill }) } }),
  );
}

const STOP_CODES = ["policy_denied_user_rule"] as const;

/** Codes of `unavailable`. */
function availabilityCodes({ facts }: Pick<TuitbotTool, "facts">): readonly ErrorCode[] {
  if (facts.publishes !== undefined) return POST_REFUSALS;
  return actionOf(facts) !== undefined || facts.policyCategory === "ads" || isRaw(facts)
    ? ["x_forbidden"]
    : [];
}

const POST_REFUSALS: readonly ErrorCode[] = ["x_forbidden", "tweet_too_long", "invalid_input"];

/** Returns the refusal that X is known to answer with, before money, limits or an approval are spent on the call. */
export function unavailable({ action, posts, policy }: Mutation, access: Access) {
  if (policy.categories.includes("ads") && access.hasAdsKeys !== true) return adsRefused();
  const refusal = action === undefined ? undefined : refusedByX(action, access);
  if (refusal !== undefined) return refusal;
  for (const post of posts) {
    const refused = refusedPost(post, access);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
