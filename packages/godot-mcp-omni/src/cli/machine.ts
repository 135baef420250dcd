import {
  type CommandContext,
  commandFor,
  commonOptions,
  type Option,
  type Options,
  type OptionValues,
} from "@toolpact/contract/cli";
import { SETTINGS } from "../config/settings.ts";

/** What the commands reach of the machine they run on. */
export interface Machine {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The program that runs this one, and the file it runs. */
  readonly runtime: string;
  readonly script: string;
}

/** Every setting is an option of every command. */
const settingOptions: Options = Object.fromEntries(
  SETTINGS.map(({ flag, kind, env, describe, placeholder = "VALUE" }): [string, Option] => [
    flag,
    kind === "switch"
      ? { kind: "flag", describe: `${describe} (${env}=true)` }
      : {
          kind: "value",
          placeholder,
          describe: `${describe} (${env})`,
          ...(Array.isArray(kind) && { choices: kind }),
        },
  ]),
);

export const globalOptions = {
  ...settingOptions,
  config: {
    kind: "value",
    placeholder: "FILE",
    describe: "Settings in JSON; your own unless named",
  },
  ...commonOptions,
} as const;

export const command = commandFor<Machine, typeof globalOptions>();

export type Context = CommandContext<Machine, OptionValues<typeof globalOptions>>;
