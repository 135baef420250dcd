import type { Guard } from "@toolpact/contract";
import type { Account, Annotations, GivenContext, PlannedMutation } from "../call/call-context.ts";
import { type Mutation, planMutation } from "../call/mutation.ts";
import type { CallPlan, ToolFacts } from "../call/tool-facts.ts";

/** Adds the plan of a mutation to the call, for `protect` and the audit log. */
export const plan: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  object,
  { readonly account: Account } & GivenContext,
  { readonly planned: PlannedMutation<Mutation> | undefined },
  never
> = {
  name: "plan",
  codes: () => [],
  run: (call, next) => next({ context: { planned: planMutation(call) } }),
};
