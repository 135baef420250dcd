import type { Answer } from "../http/answer.ts";
import { notInPlan } from "../http/problems.ts";

/** How an app pays for X's API. */
export const plans = ["self_serve", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** Actions X removed from self-serve access in April 2026, as named in its error. */
export type EnterpriseAction = "Liking posts" | "Following people" | "Quoting posts";

export function refusedByPlan(plan: Plan, action: EnterpriseAction, clientId: string): Answer | undefined {
  return plan === "enterprise" ? undefined : notInPlan(clientId, action);
}
