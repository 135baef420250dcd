import type { Call, Guard } from "@toolpact/contract";
import type { Annotations } from "./call-context.ts";

/** A guard that knows nothing of X beyond the plan that the context has. */
export type GeneralGuard<Dependencies, Requires, Adds = object> = Guard<
  unknown,
  unknown,
  Annotations,
  Dependencies,
  Requires,
  Adds
>;

export type GeneralCall<Context> = Call<unknown, unknown, Annotations, Context>;
