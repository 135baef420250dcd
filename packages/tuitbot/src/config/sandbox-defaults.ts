/** In the sandbox nothing real is sent, so nobody has to approve unless the configuration says so. */
export const sandboxDefaults = {
  approval_mode: false,
  approvals: { allow_agent: true },
  mcp_policy: { require_approval_for: [] as string[] },
} as const;
