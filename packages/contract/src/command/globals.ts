import { commonOptions, type LocalMachine } from "@toolpact/cli";

export const globalOptions = {
  json: { kind: "flag", describe: "The same as --output json" },
  ...commonOptions,
} as const;

/** The dependencies of the `toolpact` commands. */
export interface Machine {
  /** The words behind `--`: the command line of a server. */
  readonly server: readonly string[];
  /** This machine unless given. */
  readonly local?: LocalMachine;
}
