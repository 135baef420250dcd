/** They wait for a person, or were not released. */
export const QUEUED_STATUSES = ["routed", "rejected", "expired", "scheduled"] as const;

export const MUTATION_STATUSES = [
  "pending",
  "success",
  "failure",
  "duplicate",
  "asked",
  ...QUEUED_STATUSES,
] as const;

/** `log --status` takes both. */
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
