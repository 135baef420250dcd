import { describe, expect, test } from "vitest";
import { knownTools, rule, withPolicy } from "../../../test/policies.ts";
import { configSchema } from "../../config/schema.ts";
import { policyFrom } from "./policy.ts";

describe("a name in the configuration", () => {
  test.each([
    ["blocked_tools", { blocked_tools: ["x_post_twet"] }, "mcp_policy.blocked_tools"],
    ["require_approval_for", { require_approval_for: ["nonsense"] }, "mcp_policy.require_approval_for"],
    [
      "rules",
      { rules: [rule("r", 1, "deny", { tools: ["y_post"] })] },
      "mcp_policy.rules.r.conditions.tools",
    ],
    [
      "categories",
      { rules: [rule("r", 1, "deny", { categories: ["writing"] })] },
      "mcp_policy.rules.r.conditions.categories",
    ],
    [
      "rate_limits",
      { rate_limits: [{ key: "k", dimension: "tool", match_value: "zzz", max_count: 1, period_seconds: 1 }] },
      "mcp_policy.rate_limits.k.match_value",
    ],
    [
      "engagement_type",
      {
        rate_limits: [
          {
            key: "k",
            dimension: "engagement_type",
            match_value: "retweet",
            max_count: 1,
            period_seconds: 1,
          },
        ],
      },
      "mcp_policy.rate_limits.k.match_value",
    ],
  ])("that nothing has is refused at the start: %s", (_, config, key) => {
    const values = configSchema.parse(withPolicy(config));
    const made = policyFrom(values, { approvalMode: false, aiRepliesAgreed: false }, knownTools);
    expect(made).toMatchObject({ ok: false, failure: [{ key }] });
  });

  test("comes with the nearest one", () => {
    const made = policyFrom(
      configSchema.parse(withPolicy({ blocked_tools: ["x_post_twet"] })),
      { approvalMode: false, aiRepliesAgreed: false },
      knownTools,
    );
    expect(made).toMatchObject({
      failure: [{ message: 'names no tool: "x_post_twet". Did you mean x_post_tweet?' }],
    });
  });

  test("of the defaults is one", () => {
    expect(
      policyFrom(configSchema.parse({}), { approvalMode: true, aiRepliesAgreed: false }, knownTools).ok,
    ).toBe(true);
  });
});
