import { type Failed, type Failure, failed } from "@toolpact/contract";
import type { Surcharge } from "../call-context.ts";
import type { OverBudget } from "./bill.ts";
import { formatUsd, usdOf } from "./money.ts";

/** A cap of the operator is in the way. */
export function overBudget({ cap, capMicros, neededMicros, resetsAt }: OverBudget): Failed<Failure> {
  const setting = `budget.max_usd_per_${cap}`;
  const shared = {
    reason: "budget",
    policyDecision: "denied",
    fixBy: "operator",
    details: { cap, cap_usd: usdOf(capMicros), needed_usd: usdOf(neededMicros) },
  } as const;
  if (resetsAt === undefined) {
    return failed({
      ...shared,
      code: "policy_denied_user_rule",
      message: `This call may cost ${formatUsd(neededMicros)}; ${setting} is ${formatUsd(capMicros)}. Nothing was sent.`,
      suggestedFix: `Ask for less, or have the operator raise ${setting}.`,
    });
  }
  return failed({
    ...shared,
    code: "policy_denied_rate_limited",
    message: `This call may cost ${formatUsd(neededMicros)}, which does not fit under ${setting} (${formatUsd(capMicros)}) any more. Nothing was sent.`,
    suggestedFix: `Wait for rate_limit_reset, or have the operator raise ${setting}.`,
    rateLimitReset: new Date(resetsAt).toISOString(),
  });
}

/** X charges far more for a post with a link, and recognises links that its author did not mean as such. */
export function urlPrice({ links, micros, plainMicros }: Surcharge): Failed<Failure<"validation_error">> {
  const quoted = links.map((link) => JSON.stringify(link)).join(", ");
  return failed({
    code: "validation_error",
    reason: "url_price",
    message: `X charges ${formatUsd(micros)} for this instead of ${formatUsd(plainMicros)}, because it takes ${quoted} for a link. Nothing was sent.`,
    suggestedFix: "Call again with accept_url_price: true, or without the link.",
    fixBy: "agent",
    details: { price_usd: usdOf(micros), price_without_links_usd: usdOf(plainMicros), links },
  });
}
