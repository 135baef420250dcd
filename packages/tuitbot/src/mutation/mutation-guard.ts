import { AsyncLocalStorage } from "node:async_hooks";
import type { Call, Guard, JsonObject, Next } from "@toolpact/contract";
import type { ErrorCode } from "../errors.ts";
import { orStorageFailure } from "../storage/storage-failure.ts";
import type { GuardOutcome, MutationContext } from "./call-context.ts";
import type { Mutation } from "./plan.ts";

export const mutationContexts: AsyncLocalStorage<MutationContext<Mutation>> = new AsyncLocalStorage();

/** A step around a mutation: it answers itself, or with what comes `next`. */
export type MutationStep = (
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext<Mutation>,
  next: Next,
) => Promise<GuardOutcome>;

/** A guard for mutations alone, which answers for a database in trouble. */
export function mutationGuard(
  name: string,
  codes: readonly ErrorCode[],
  around: MutationStep,
): Guard<unknown, unknown, JsonObject> {
  return {
    name,
    codes: () => [...codes, "db_error"],
    run(call, next) {
      const context = mutationContexts.getStore();
      return context === undefined ? next() : orStorageFailure(() => around(call, context, next));
    },
  };
}

/** For steps that decide whether a mutation may begin: one whose answer is only found again has begun long ago. */
export function beforeItBegins(step: MutationStep): MutationStep {
  return (call, context, next) => (context.rebuilds === undefined ? step(call, context, next) : next());
}
