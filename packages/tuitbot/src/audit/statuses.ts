/** Statuses of calls that wait for a person or that a person did not release. */
export const QUEUED_STATUSES = ["routed", "rejected", "expired", "scheduled"] as const;

/** Every status of a call in the audit log. */
export const MUTATION_STATUSES = [
  "pending",
  "success",
  "failure",
  "duplicate",
  "asked",
  ...QUEUED_STATUSES,
] as const;
