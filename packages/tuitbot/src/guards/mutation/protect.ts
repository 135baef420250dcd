import type { AnyOutcome, Guard, Next } from "@toolpact/contract";
import { type BudgetCaps, type ProtectedSteps, runProtected } from "@toolpact/contract/internal/guards";
import type { Access } from "@toolpact/x-api";
import type { ErrorCode } from "../../errors.ts";
import { adsRefused } from "../../x/toolkit/ads.ts";
import { firstRefusal, refusedByX } from "../../x/toolkit/preflight.ts";
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
import { type AllowedMutation, applyPolicy, type PolicyDependencies, policyCodes } from "./policy.ts";
import { answerAgain, type ReceiptDependencies, receiptCodes, runMutation } from "./receipt.ts";
import { checkRepeat, repeatCodes } from "./repeat.ts";
import { checkSafety, rememberRefusedReply, type SafetyDependencies, safetyCodes } from "./safety.ts";

/** For `protect` and the audit log. */
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
  /** Quick if there is nothing. */
  readonly resolveLeftovers: (account: Account, signal: AbortSignal) => Promise<void>;
}

interface Required extends MutationContext {
  readonly planned: PlannedMutation<Mutation> | undefined;
}

type Added = Pick<CallContext, "planned" | "bill" | "journal">;

/** In the engine's order (`runProtected`). */
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
    const { planned, agent } = call.context;
    const caps = capsFor(dependencies.caps, agent);
    return withBill(call, { caps, now: dependencies.now }, (bill) =>
      planned === undefined
        ? next({ context: { ...(bill && { bill }) } })
        : runProtected(stepsOf({ call, planned, bill, caps }, dependencies, next)),
    );
  },
};

interface BilledMutation {
  readonly call: MutationCall;
  readonly planned: PlannedMutation<Mutation>;
  /** Without reads that answer a repeat, which the caller does not pay. */
  readonly bill: XBill | undefined;
  readonly caps: BudgetCaps;
}

function stepsOf(
  { call, planned, bill, caps }: BilledMutation,
  dependencies: ProtectDependencies,
  next: Next<Added>,
): ProtectedSteps<AllowedMutation> {
  const { account } = call.context;
  const remembered = async (outcome: AnyOutcome) => {
    await rememberRefusedReply(call.context, planned, outcome);
    return outcome;
  };
  return {
    resolveLeftovers: () => dependencies.resolveLeftovers(account, call.signal),
    async answerRepeat() {
      const repeated = await checkRepeat(call, planned, dependencies);
      switch (repeated.kind) {
        case "new":
          return undefined;
        case "answered":
          return repeated.outcome;
        case "done":
          return answerAgain({ call, planned }, dependencies, repeated.receipt, (journal) =>
            next({ context: { journal } }),
          );
      }
    },
    refuseStopped: () => stopRefusal(call, planned.record),
    refuseEarly: async () =>
      unavailable(planned.mutation, dependencies.access) ??
      budgetRefusal(call.input, planned.mutation, account.ledger, caps, dependencies.now()),
    async decide() {
      const safe = await checkSafety(call, planned, bill, dependencies);
      return safe.ok
        ? applyPolicy(call, safe.value, bill, dependencies)
        : { kind: "answered", outcome: await remembered(safe) };
    },
    run: async (allowed) =>
      remembered(
        await runMutation({ call, ...allowed, bill }, dependencies, (journal) =>
          next({ context: { journal, planned: allowed.planned, ...(bill && { bill }) } }),
        ),
      ),
  };
}

const STOP_CODES = ["policy_denied_user_rule"] as const;

function availabilityCodes({ facts }: Pick<TuitbotTool, "facts">): readonly ErrorCode[] {
  if (facts.publishes !== undefined) return POST_REFUSALS;
  if (facts.policyCategory === "ads") return ["x_not_configured"];
  if (isRaw(facts)) return ["x_forbidden", "x_not_configured"];
  return actionOf(facts) === undefined ? [] : ["x_forbidden"];
}

const POST_REFUSALS: readonly ErrorCode[] = ["x_forbidden", "tweet_too_long", "invalid_input"];

/** X's known refusal, before money, limits or an approval are spent. */
export function unavailable({ action, posts, policy }: Mutation, access: Access) {
  if (policy.categories.includes("ads") && access.hasAdsKeys !== true) return adsRefused();
  const refusal = action === undefined ? undefined : refusedByX(action, access);
  if (refusal !== undefined) return refusal;
  return firstRefusal(posts.length, (index) => {
    const post = posts[index];
    return post && refusedPost(post, access);
  });
}
