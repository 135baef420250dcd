import type { Failure } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Commands } from "../../web/api.ts";
import type { CommandSession } from "./command-session.ts";

/** What would become of a call of an agent, and why. Nothing is sent or used up. */
export async function testCall(
  { tool, args }: Commands["test_call"]["request"],
  { workflow, signal }: Pick<CommandSession, "workflow" | "signal">,
): Promise<Outcome<Commands["test_call"]["answer"], Failure>> {
  const previewed = await workflow.preview(tool, args, signal);
  if (!previewed.ok) return previewed;
  const { refusal, decision, budget, earlier, estimatedUsd, limits } = previewed.value;
  if (refusal !== undefined) return failed(refusal);
  return ok({
    policy_decision: decision.kind,
    matched_rule_id: decision.ruleId ?? null,
    ...("reason" in decision && { reason: decision.reason }),
    estimated_usd: estimatedUsd,
    ...(budget !== undefined && {
      budget: { code: budget.code, reason: budget.reason ?? "", message: budget.message },
    }),
    ...(earlier !== undefined && { earlier_call: earlier }),
    limits: limits.map((limit) => ({ ...limit })),
  });
}
