import type { Guard } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { ErrorCode } from "../../errors.ts";
import { adsRefused } from "../../x/toolkit/ads.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { refusedPost } from "../../x/toolkit/write.ts";
import type { Annotations, CallContext, PlannedMutation } from "../call/call-context.ts";
import type { Mutation } from "../call/mutation.ts";
import { actionOf, type CallPlan, isRaw, type ToolFacts } from "../call/tool-facts.ts";

/** Answers what X is known to refuse, before money, limits or a person's approval are spent on it. */
export const availability: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  { readonly access: Access },
  { readonly planned: PlannedMutation<Mutation> | undefined } & Pick<CallContext, "replayed">,
  object
> = {
  name: "availability",
  codes: ({ facts }) => {
    if (facts.publishes !== undefined) return POST_REFUSALS;
    return actionOf(facts) !== undefined || facts.policyCategory === "ads" || isRaw(facts)
      ? ["x_forbidden"]
      : [];
  },
  async run({ context: { planned, replayed } }, next, { access }) {
    if (planned === undefined || replayed !== undefined) return next();
    return unavailable(planned.mutation, access) ?? next();
  },
};

const POST_REFUSALS: readonly ErrorCode[] = ["x_forbidden", "tweet_too_long", "invalid_input"];

/** Why X would not carry it out, as far as that is known without asking. */
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
