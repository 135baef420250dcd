import { commonOptions, type LocalMachine } from "@toolpact/cli";

export const globalOptions = {
  json: { kind: "flag", describe: "The same as --output json" },
  ...commonOptions,
} as const;

export interface Machine {
  /** The words after `--`: a server's command line. */
  readonly server: readonly string[];
  readonly local?: LocalMachine;
}
