import type { Access } from "@toolpact/x-api";
import type { ErrorCode } from "../../errors.ts";
import { adsRefused } from "../../x/toolkit/ads.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { refusedPost } from "../../x/toolkit/write.ts";
import type { Mutation } from "../call/mutation.ts";
import { actionOf, isRaw, type TuitbotTool } from "../call/tool-facts.ts";

/** Codes of `unavailable`. */
export function availabilityCodes({ facts }: Pick<TuitbotTool, "facts">): readonly ErrorCode[] {
  if (facts.publishes !== undefined) return POST_REFUSALS;
  return actionOf(facts) !== undefined || facts.policyCategory === "ads" || isRaw(facts)
    ? ["x_forbidden"]
    : [];
}

const POST_REFUSALS: readonly ErrorCode[] = ["x_forbidden", "tweet_too_long", "invalid_input"];

/** Returns the refusal that X is known to answer with, before money, limits or an approval are spent on the call. */
export function unavailable({ action, posts, policy }: Mutation, access: Access) {
  if (policy.categories.includes("ads") && access.hasAdsKeys !== true) return adsRefused();
  const refusal = action === undefined ? undefined : refusedByX(action, access);
  if (refusal !== undefined) return refusal;
  for (const post of posts) {
    const refused = refusedPost(post, access);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
