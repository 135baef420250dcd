import { commonOptions } from "@toolpact/cli";

export const globalOptions = {
  json: { kind: "flag", describe: "The same as --output json" },
  ...commonOptions,
} as const;

/** What the commands of `toolpact` need of the machine: nothing that a test would replace. */
export type Machine = object;
