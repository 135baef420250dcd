import { type ErrorCode, xMediaErrors, xThreadErrors } from "../errors.ts";

/** The ways in which a released call can end: those of every tool that changes something at X, and of its guards. */
export const releaseErrors = [
  ...new Set([...xThreadErrors, ...xMediaErrors]),
  "validation_error",
  "db_error",
  "policy_denied_blocked",
  "policy_denied_rate_limited",
  "policy_denied_hard_rule",
  "policy_denied_user_rule",
] as const satisfies readonly ErrorCode[];

export type ReleaseCode = (typeof releaseErrors)[number];
