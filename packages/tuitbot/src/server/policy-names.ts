import type { ConfigProblem } from "../config/problem.ts";
import { type Config, configSchema } from "../config/schema.ts";

/** Names in the policy that belong to no tool or category. Tools are not loaded for it. */
export async function wrongPolicyNames(config: Config): Promise<readonly ConfigProblem[]> {
  if (namesOnlyTheUsual(config.mcp_policy)) return [];
  const [{ policyFrom }, { prebuilt }] = await Promise.all([
    import("../guards/policy/policy.ts"),
    import("./prebuilt.ts"),
  ]);
  const policy = policyFrom(
    config,
    { approvalMode: config.approval_mode, aiRepliesAgreed: config.x_api.ai_replies_agreed },
    prebuilt.toolNames().tools,
  );
  return policy.ok ? [] : policy.failure;
}

function namesOnlyTheUsual(policy: Config["mcp_policy"]): boolean {
  const { blocked_tools, rules, rate_limits, require_approval_for } = policy;
  if (blocked_tools.length + rules.length + rate_limits.length > 0) return false;
  const usual = configSchema.parse({}).mcp_policy.require_approval_for;
  return require_approval_for.every((name) => usual.includes(name));
}
