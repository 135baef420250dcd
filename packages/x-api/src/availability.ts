import type { OperationId } from "./operations/index.ts";

/** From the configuration, because X's API does not report it. */
export interface Access {
  readonly plan: Plan;
  readonly isPremium: boolean;
  /** X's Ads API accepts only OAuth 1.0a. */
  readonly hasAdsKeys?: boolean;
  /** Sends requests the plan excludes, and returns X's answer. */
  readonly asksAnyway?: boolean;
}

export type Plan = "self_serve" | "enterprise";

export type Action = keyof typeof actionRules;

/** A missing fact is unknown. */
export interface Evidence {
  /** For `reply`: the author of the post mentioned or quoted this account. */
  readonly isSummoned?: boolean;
  /** For `cashtag`: the number in the text. */
  readonly cashtags?: number;
}

export type Availability =
  | { readonly isAvailable: true }
  | { readonly isAvailable: "unknown"; readonly needs: Need; readonly since?: string }
  | { readonly isAvailable: false; readonly needs: Need; readonly since?: string };

export type Need = "enterprise" | "premium" | "summons" | "fewer_cashtags" | "nothing_helps";

/**
 * Checks, before a request is sent, if X allows the action for this account.
 *
 * @example
 * availabilityOf("like", { plan: "self_serve", isPremium: false });
 * // { isAvailable: false, needs: "enterprise", since: "2026-04-20" }
 */
export function availabilityOf(action: Action, access: Access, evidence: Evidence = {}): Availability {
  const rule: ActionRule = actionRules[action];
  const since = rule.since === undefined ? {} : { since: rule.since };
  if (rule.needs === "nothing_helps") return { isAvailable: false, needs: rule.needs, ...since };
  if (rule.needs === "premium")
    return access.isPremium ? available : { isAvailable: false, needs: "premium", ...since };
  if (access.plan === "enterprise") return available;
  switch (rule.needs) {
    case "enterprise":
      return { isAvailable: false, needs: "enterprise", ...since };
    case "summons":
      if (evidence.isSummoned === undefined) return { isAvailable: "unknown", needs: "summons", ...since };
      return evidence.isSummoned ? available : { isAvailable: false, needs: "summons", ...since };
    case "fewer_cashtags":
      if (evidence.cashtags === undefined)
        return { isAvailable: "unknown", needs: "fewer_cashtags", ...since };
      return evidence.cashtags <= selfServeCashtags
        ? available
        : { isAvailable: false, needs: "fewer_cashtags", ...since };
  }
}

const available: Availability = { isAvailable: true };

/** Per post, without an enterprise plan. */
export const selfServeCashtags = 1;

interface ActionRule {
  readonly needs: Need;
  readonly since?: string;
  /** Set if the operation has only this use. */
  readonly operation?: OperationId;
}

/** Anything not listed is open to every plan. */
export const actionRules = {
  reply: { needs: "summons", since: "2026-02-23" },
  quote: { needs: "enterprise", since: "2026-04-20" },
  like: { needs: "enterprise", since: "2026-04-20", operation: "likePost" },
  follow: { needs: "enterprise", since: "2026-04-20", operation: "followUser" },
  cashtag: { needs: "fewer_cashtags" },
  long_post: { needs: "premium", since: "2024-08-20" },
  edit: { needs: "premium" },
  pin_post: { needs: "nothing_helps" },
  unpin_post: { needs: "nothing_helps" },
  block: { needs: "nothing_helps" },
  unblock: { needs: "nothing_helps" },
} as const satisfies Readonly<Record<string, ActionRule>>;

/** Operations that X removed and clients still call. */
export const removedOperations: readonly RemovedOperation[] = [
  { action: "pin_post", method: "PUT", path: "/2/users/{id}/pinned_tweet", absentIn: "2.167" },
  { action: "unpin_post", method: "DELETE", path: "/2/users/{id}/pinned_tweet", absentIn: "2.167" },
  { action: "block", method: "POST", path: "/2/users/{id}/blocking", absentIn: "2.167" },
  {
    action: "unblock",
    method: "DELETE",
    path: "/2/users/{source_user_id}/blocking/{target_user_id}",
    absentIn: "2.167",
  },
];

export interface RemovedOperation {
  readonly action: Action;
  readonly method: "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** The first version of X's specification without it; X announced no date. */
  readonly absentIn: string;
}
