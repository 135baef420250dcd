import { servingOptions } from "./serving-options.ts";

/** Whose X the loops run on: options of `tick` and `run`. */
export const loopOptions = {
  sandbox: servingOptions.sandbox,
  "sandbox-plan": servingOptions["sandbox-plan"],
} as const;
