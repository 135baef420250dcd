import {
  type CommandContext,
  type CommandFailure,
  commandFor,
  commonOptions,
  type LocalMachine,
  type OptionValues,
} from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";

/** Everything outside the process that the commands use. */
export interface Machine extends LocalMachine {
  readonly fetch: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Opens a page in the browser; false if that is not possible. */
  readonly openPage: (url: string) => Promise<boolean>;
  /** Waits for a key; undefined when the person stops. */
  readonly readKey: (signal: AbortSignal) => Promise<string | undefined>;
  /** Lets the person edit a text in their editor, or says why that is not possible. */
  readonly edit: (
    text: string,
    ending: string,
    env: Readonly<NodeJS.ProcessEnv>,
  ) => Promise<Outcome<string, string>>;
}

export const globalOptions = {
  config: {
    kind: "value",
    short: "c",
    placeholder: "FILE",
    describe: "Configuration file; by default TUITBOT_CONFIG, then ~/.tuitbot/config.toml",
  },
  ...commonOptions,
} as const;

export const command = commandFor<Machine, typeof globalOptions>();

export type Context = CommandContext<Machine, OptionValues<typeof globalOptions>>;

/** Where the configuration is read from. `beneath` has the values that file and environment override. */
export function configPlace(
  { globals, machine, terminal }: Context,
  beneath?: ConfigPlace["beneath"],
): ConfigPlace {
  return {
    argument: globals.config,
    env: terminal.env,
    home: machine.home,
    cwd: machine.cwd,
    beneath,
    check: async (config) => (await import("../server/policy-names.ts")).wrongPolicyNames(config),
  };
}

/** The configuration, or a failure that lists everything wrong with it. */
export async function loadedConfig(
  context: Context,
  place = configPlace(context),
): Promise<Outcome<LoadedConfig, CommandFailure>> {
  const [{ loadConfig }, { problemLine }] = await Promise.all([
    import("../config/load.ts"),
    import("../config/problem.ts"),
  ]);
  const loaded = await loadConfig(place);
  if (loaded.ok) return ok(loaded.value);
  const { file, problems } = loaded.failure;
  const lines = problems.map(problemLine);
  const list = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join("");
  return failed({ message: `The configuration${file === undefined ? "" : ` ${file}`} is wrong:${list}` });
}
