import type { Guard } from "@toolpact/contract";
import {
  type Account,
  type Annotations,
  costOf,
  type GivenContext,
  type PlannedMutation,
} from "./call-context.ts";
import { type Mutation, mutationOf, type Plan, type ToolFacts } from "./plan.ts";
import { identityOf } from "./receipts/call-identity.ts";

/** Works out what the call would change, what makes it the same as another call, and what releases it. */
export const plan: Guard<
  ToolFacts,
  Plan,
  Annotations,
  object,
  { readonly account: Account } & GivenContext,
  { readonly planned: PlannedMutation<Mutation> | undefined }
> = {
  name: "plan",
  codes: () => [],
  run(call, next) {
    const { account, release } = call.context;
    const mutation = mutationOf(call);
    if (mutation === undefined) return next({ context: { planned: undefined } });
    const identity = identityOf(account.account, call.tool.name, call.input);
    const isReleased = release?.tool === call.tool.name && release.argsDigest === identity.argsDigest;
    const planned: PlannedMutation<Mutation> = {
      mutation,
      identity,
      release: isReleased ? release : undefined,
      record: {
        decision: "none",
        ruleId: undefined,
        approvalId: isReleased ? release.approvalId : undefined,
        receiptId: undefined,
        estimated: costOf(mutation.requests),
        paid: undefined,
      },
    };
    return next({ context: { planned } });
  },
};
