import type { JsonObject } from "@toolpact/contract";
import { failed, ok } from "@toolpact/outcome";
import type { Preview } from "../guards/preview.ts";
import type { Services } from "./services.ts";

/** Evaluates a call of an agent: the decision of the policy, the price and the limits. Sends and counts nothing. */
export async function testCall(
  { tool, args }: { readonly tool: string; readonly args: JsonObject },
  { workflow, signal }: Pick<Services, "workflow"> & { readonly signal: AbortSignal },
) {
  const previewed = await workflow.preview(tool, args, signal);
  if (!previewed.ok) return previewed;
  const { refusal, decision, budget, earlier, estimatedUsd, limits, duplicateOf } = previewed.value;
  if (refusal !== undefined) return failed(refusal);
  return ok({
    ...verdictOf(previewed.value),
    policy_decision: decision.kind,
    matched_rule_id: decision.ruleId ?? null,
    ...("reason" in decision && { reason: decision.reason }),
    estimated_usd: estimatedUsd,
    ...(budget !== undefined && {
      budget: { code: budget.code, reason: budget.reason ?? "", message: budget.message },
    }),
    ...(duplicateOf !== undefined && { duplicate_of: duplicateOf }),
    ...(earlier !== undefined && { earlier_call: earlier }),
    limits: limits.map(({ key, used, max }) => ({ key, used, max })),
  });
}

interface Verdict {
  readonly would: "send" | "queue" | "refuse" | "replay" | "simulate";
  readonly why?: string;
}

/** In the order of the guards that the call itself would pass; X comes last. */
function verdictOf({ earlier, budget, decision, limits, duplicateOf }: Preview): Verdict {
  if (earlier === "done") return { would: "replay", why: "The same call was carried out before." };
  if (earlier === "running" || earlier === "just_done" || earlier === "unsettled")
    return { would: "refuse", why: "The same call was made moments ago, or its outcome is not known yet." };
  // Whether somebody accepts the price of a link is the last question: it changes nothing about the others.
  const isPrice = budget?.reason === "url_price";
  if (budget !== undefined && !isPrice) return { would: "refuse", why: budget.message };
  if (decision.kind === "deny") return { would: "refuse", why: decision.reason };
  const full = limits.find(({ used, max, needed }) => used + needed > max);
  if (full !== undefined) return { would: "refuse", why: whyFull(full) };
  if (duplicateOf !== undefined)
    return { would: "refuse", why: `X refuses the same words again within a day: see post ${duplicateOf}.` };
  if (isPrice) return { would: "refuse", why: budget.message };
  if (decision.kind === "require_approval") return { would: "queue", why: decision.reason };
  return { would: decision.kind === "dry_run" ? "simulate" : "send" };
}

function whyFull({ key, used, max, needed }: Preview["limits"][number]): string {
  if (needed === 1) return `The limit ${key} is used up.`;
  return needed > max
    ? `This has ${needed} posts, and the limit ${key} is ${max}.`
    : `This has ${needed} posts, and the limit ${key} has room for ${max - used}.`;
}
