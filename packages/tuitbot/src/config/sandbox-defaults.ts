/** Nothing real leaves the sandbox, so there nobody has to approve unless the configuration asks for it. */
export const sandboxDefaults = {
  approval_mode: false,
  approvals: { allow_agent: true },
  mcp_policy: { require_approval_for: [] as string[] },
} as const;
