import { ok } from "@toolpact/contract";
import * as z from "zod";
import type { PolicyRule } from "../../guards/policy/decide.ts";
import { rateLimits } from "../../guards/policy/limits.ts";
import type { Policy } from "../../guards/policy/policy.ts";
import { writeUp } from "../../profiles.ts";
import { defineTool } from "../product.ts";

const limit = z.object({
  action_type: z.string(),
  request_count: z.number(),
  max_requests: z.number(),
  period_start: z.string(),
  period_seconds: z.number(),
  remaining: z.number(),
});

const rule = z.object({
  id: z.string(),
  kind: z.enum(["hard", "operator", "floor"]).describe("hard: decides first; floor: only ever stricter"),
  tools: z.array(z.string()),
  categories: z.array(z.string()),
  action: z.enum(["allow", "deny", "require_approval", "dry_run"]),
  reason: z.string().optional(),
});

const about = {
  category: "policy",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  errors: ["db_error"],
  input: z.strictObject({}),
} as const;

export const getPolicyStatus = defineTool({
  ...about,
  name: "get_policy_status",
  searchWords: "policy rules, what am I allowed to do, why is it blocked, approval rules",
  title: "Get the policy",
  description: "Get the policy rules in the order in which they decide, and how much of each limit is used.",
  needs: ["config", "db", "workflow"],
  output: z.object({
    mode: z.enum(["autopilot", "composer"]),
    approval_mode: z.boolean(),
    enforce_for_mutations: z.boolean(),
    template: z.string().nullable(),
    require_approval_for: z.array(z.string()),
    blocked_tools: z.array(z.string()),
    dry_run_mutations: z.boolean(),
    max_mutations_per_hour: z.number(),
    rules: z.array(rule),
    rate_limits: z.array(limit),
  }),
  handler: async (_input, { config, db, workflow }) => {
    const { mode, mcp_policy } = config.values;
    const policy = workflow.policy;
    return ok({
      mode,
      approval_mode: config.approvalMode,
      enforce_for_mutations: mcp_policy.enforce_for_mutations,
      template: mcp_policy.template ?? null,
      require_approval_for: [...mcp_policy.require_approval_for],
      blocked_tools: [...mcp_policy.blocked_tools],
      dry_run_mutations: mcp_policy.dry_run_mutations,
      max_mutations_per_hour: mcp_policy.max_mutations_per_hour,
      rules: rulesOf(policy),
      rate_limits: [...(await rateLimits(db.store.db, db.account, policy, workflow.now()))],
    });
  },
});

export const getRateLimits = defineTool({
  ...about,
  name: "get_rate_limits",
  searchWords: "how many posts are left today, limits, remaining quota, how often may I still post",
  title: "Get the limits",
  description:
    "Get how often each kind of change may still be made here. X's own rate limits are not part of it.",
  needs: ["db", "workflow"],
  output: z.object({ rate_limits: z.array(limit) }),
  handler: async (_input, { db, workflow }) => {
    const limits = await rateLimits(db.store.db, db.account, workflow.policy, workflow.now());
    return ok({ rate_limits: [...limits] });
  },
});

function rulesOf({ hard, rules, floors }: Policy): z.input<typeof rule>[] {
  const shown = (kind: "hard" | "operator" | "floor") => (one: PolicyRule) => ({
    id: one.id,
    kind,
    tools: [...(one.conditions.tools ?? [])],
    categories: [...(one.conditions.categories ?? [])],
    action: one.action.type,
    ...("reason" in one.action && { reason: one.action.reason }),
  });
  return [...hard.map(shown("hard")), ...rules.map(shown("operator")), ...floors.map(shown("floor"))];
}
