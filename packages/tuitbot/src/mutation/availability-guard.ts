import type { Guard, JsonObject } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import { adsRefused } from "../x/toolkit/ads-access.ts";
import { refusedByX } from "../x/toolkit/preflight.ts";
import { refusedPost } from "../x/toolkit/write.ts";
import { beforeItBegins, mutationGuard } from "./mutation-guard.ts";
import type { Mutation } from "./plan.ts";

/** Answers what X is known to refuse, before money, limits or a person's approval are spent on it. */
export function availabilityGuard(access: Access): Guard<unknown, unknown, JsonObject> {
  return mutationGuard(
    "availability",
    ["x_forbidden", "tweet_too_long", "invalid_input"],
    beforeItBegins(async (_, { mutation }, next) => unavailable(mutation, access) ?? next()),
  );
}

/** Why X would not carry it out, as far as that is known without asking. */
export function unavailable({ action, posts, policy }: Mutation, access: Access) {
  // A request in X's own terms shows a token, which the Ads API does not take.
  const isRaw = policy.categories.includes("universal_request");
  if (policy.categories.includes("ads") && (isRaw || access.hasAdsKeys !== true)) return adsRefused(isRaw);
  const refusal = action === undefined ? undefined : refusedByX(action, access);
  if (refusal !== undefined) return refusal;
  for (const post of posts) {
    const refused = refusedPost(post, access);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
