import { describe, expect, test } from "vitest";
import { like, policy, post, reply, thread, withoutRules, withPolicy } from "../../../test/policies.ts";
import type { PolicyAction } from "./decide.ts";
import { limitsFor } from "./limits.ts";

describe("limits", () => {
  const keys = (config: object, mutation: PolicyAction) =>
    limitsFor(policy(config), mutation).map(({ key, max }) => `${key} ${max}`);
  const limit = (key: string, dimension: string, match_value: string) => ({
    key,
    dimension,
    match_value,
    max_count: 1,
    period_seconds: 60,
  });

  test("of the product apply in addition to those of the section limits", () => {
    expect(keys(withoutRules, post)).toEqual(["mcp_mutation 20", "tweets_per_day 10"]);
    expect(keys(withoutRules, reply)).toEqual(["mcp_mutation 20", "replies_per_day 5"]);
    expect(keys(withoutRules, thread)).toEqual([
      "mcp_mutation 20",
      "threads_per_week 1",
      "tweets_per_day 10",
    ]);
    expect(keys(withPolicy({ enforce_for_mutations: false }), post)).toEqual(["tweets_per_day 10"]);
  });

  test("of a template hold without anything else being set up", () => {
    expect(keys(withPolicy({ template: "agency_mode" }), like)).toEqual([
      "template:global 200",
      "template:x_like_tweet 50",
    ]);
  });

  test("match by their dimension, and * matches all", () => {
    const rate_limits = [
      limit("a", "tool", "post_tweet"),
      limit("b", "category", "engage"),
      limit("c", "engagement_type", "like"),
      limit("d", "tool", "*"),
      limit("e", "global", ""),
    ];
    expect(keys(withPolicy({ rate_limits }), post).slice(1, -1)).toEqual([
      "limit:a 1",
      "limit:d 1",
      "limit:e 1",
    ]);
    expect(keys(withPolicy({ rate_limits }), like).slice(1)).toEqual([
      "limit:b 1",
      "limit:c 1",
      "limit:d 1",
      "limit:e 1",
    ]);
  });
});
