import type { Access } from "@toolpact/x-api";

/**
 * The configuration of the sandbox beneath the person's own: its plan, and what its account is about. Everything else is
 * as with a real account: a person approves, and the agent cannot.
 */
export function sandboxProfile(plan: Access["plan"] = "enterprise") {
  return {
    x_api: { plan, premium: plan === "enterprise" },
    // People of the sandbox react within the hour.
    analytics: { measure_after_hours: 1 },
    business: {
      product_name: "Crumb",
      product_description: "A log for bakers",
      product_keywords: ["sourdough", "bread"],
      target_audience: "home bakers",
    },
  };
}
