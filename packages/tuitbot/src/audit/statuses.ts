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

/** The words of the terminal for the statuses; `log --status` takes both. */
export const STATUS_WORDS = {
  success: "done",
  failure: "failed",
  routed: "waits",
  rejected: "rejected",
  expired: "expired",
  scheduled: "scheduled",
  asked: "asked",
  duplicate: "repeated",
  pending: "unknown",
} as const satisfies Readonly<Record<(typeof MUTATION_STATUSES)[number], string>>;
