import type { Failure, JsonObject } from "@toolpact/contract";
import { failed, ok } from "@toolpact/outcome";
import { denialCode } from "../guards/mutation/policy.ts";
import type { Preview } from "../guards/preview.ts";
import type { Services } from "./services.ts";

/** Policy, price and limits, as for an agent's call. Sends and counts nothing. */
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
    /** One by default. */
    people_needed: (decision.kind === "require_approval" && decision.peopleNeeded) || 1,
    ...("reason" in decision && { reason: decision.reason }),
    estimated_usd: estimatedUsd,
    ...(budget !== undefined && {
      budget: {
        code: budget.code,
        reason: budget.reason ?? "",
        message: budget.message,
        details: budget.details ?? {},
      },
    }),
    ...(duplicateOf !== undefined && { duplicate_of: duplicateOf }),
    ...(earlier !== undefined && { earlier_call: earlier }),
    limits: limits.map(({ key, used, max }) => ({ key, used, max })),
  });
}

interface Verdict {
  readonly would: "send" | "queue" | "refuse" | "replay" | "simulate";
  readonly why?: string;
  /** The same for a program that words it in another language. */
  readonly because?: { readonly reason: string; readonly details: JsonObject };
}

/** Undefined if it would be sent. */
export function refusalOf(tool: string, preview: Preview): Failure | undefined {
  const { refusal, budget, decision, limits } = preview;
  const { would, why = "", because } = verdictOf(preview);
  if (refusal !== undefined) return refusal;
  if (would === "simulate")
    return {
      code: "policy_denied_user_rule",
      message: `This server only simulates ${tool}: it is in dry run.`,
    };
  if (would !== "refuse") return undefined;
  if (budget !== undefined && budget.message === why) return budget;
  const policyDecision = "denied";
  if (decision.kind === "deny") return { code: denialCode(decision.ruleId), message: why, policyDecision };
  const isFull = limits.some(({ used, max, needed }) => used + needed > max);
  return isFull
    ? {
        code: "policy_denied_rate_limited",
        reason: "policy_limit",
        message: why,
        policyDecision,
        ...(because !== undefined && { details: because.details }),
      }
    : { code: "validation_error", message: why };
}

/** Too low for the call at any time. */
export function neverFits({ limits }: Preview): boolean {
  return limits.some(({ max, needed }) => needed > max);
}

/** In the order of the call's guards; X comes last. */
function verdictOf({ earlier, budget, decision, limits, duplicateOf }: Preview): Verdict {
  if (earlier === "done") return { would: "replay", why: "The same call was carried out before." };
  if (earlier === "running" || earlier === "just_done" || earlier === "unsettled")
    return { would: "refuse", why: "The same call was made moments ago, or its outcome is not known yet." };
  // The price of a link is the last question.
  const isPrice = budget?.reason === "url_price";
  if (budget !== undefined && !isPrice) return refusedBy(budget);
  if (decision.kind === "deny") return { would: "refuse", why: decision.reason };
  const full = limits.find(({ used, max, needed }) => used + needed > max);
  if (full !== undefined) {
    const { key, used, max, needed } = full;
    const details = { limit: key, used, max, needed };
    return { would: "refuse", why: whyFull(full), because: { reason: "policy_limit", details } };
  }
  if (duplicateOf !== undefined)
    return {
      would: "refuse",
      why: `X refuses the same words again within a day: see post ${duplicateOf}.`,
      because: { reason: "duplicate_post", details: { post: duplicateOf } },
    };
  if (isPrice) return refusedBy(budget);
  if (decision.kind === "require_approval") return { would: "queue", why: decision.reason };
  return { would: decision.kind === "dry_run" ? "simulate" : "send" };
}

function refusedBy({ message, reason = "", details = {} }: Failure): Verdict {
  return { would: "refuse", why: message, because: { reason, details } };
}

function whyFull({ key, used, max, needed }: Preview["limits"][number]): string {
  const [one, many] = LIMITS[key] ?? [`(${key})`, `(${key})`];
  const limit = `${max} ${max === 1 ? one : many}`;
  if (needed === 1) return `Your limit of ${limit} is used up.`;
  return needed > max
    ? `This thread has ${needed} posts; your limit is ${limit}.`
    : `This thread has ${needed} posts; of your limit of ${limit}, ${max - used} are left.`;
}

const LIMITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  tweets_per_day: ["post a day", "posts a day"],
  threads_per_week: ["thread a week", "threads a week"],
  replies_per_day: ["reply a day", "replies a day"],
};
