import type { JsonObject } from "@toolpact/contract";
import { failed, ok } from "@toolpact/outcome";
import type { Services } from "./services.ts";

/** Evaluates a call of an agent: the decision of the policy, the price and the limits. Sends and counts nothing. */
export async function testCall(
  { tool, args }: { readonly tool: string; readonly args: JsonObject },
  { workflow, signal }: Pick<Services, "workflow"> & { readonly signal: AbortSignal },
) {
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
