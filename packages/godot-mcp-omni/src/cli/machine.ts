import {
  type CommandContext,
  commandFor,
  commonOptions,
  type LocalMachine,
  type Option,
  type Options,
  type OptionValues,
} from "@toolpact/cli";
import { SETTINGS } from "../config/settings.ts";

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
  // Repeatable, for several projects.
  project: {
    kind: "list",
    keepsCommas: true,
    placeholder: "FOLDER",
    describe: settingOptions.project?.describe ?? "",
  },
  config: {
    kind: "value",
    placeholder: "FILE",
    describe: "Settings in JSON; your own unless named",
  },
  ...commonOptions,
} as const;

export const command = commandFor<LocalMachine, typeof globalOptions>();

export type Context = CommandContext<LocalMachine, OptionValues<typeof globalOptions>>;
