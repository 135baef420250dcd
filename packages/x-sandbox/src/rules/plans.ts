import type { Answer } from "../http/answer.ts";
import { notInPlan } from "../http/problems.ts";

export const plans = ["self_serve", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** Removed from self-serve access in April 2026; named as in X's error. */
export type EnterpriseAction = "Liking posts" | "Following people" | "Quoting posts";

export function refusedByPlan(plan: Plan, action: EnterpriseAction, clientId: string): Answer | undefined {
  return plan === "enterprise" ? undefined : notInPlan(clientId, action);
}
