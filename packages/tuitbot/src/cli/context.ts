import type { CommandContext, CommandFailure, OptionValues } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";
import type { globalOptions, Machine } from "./machine.ts";

export type Context = CommandContext<Machine, OptionValues<typeof globalOptions>>;

/** The location of the configuration. File and environment override the values in `beneath`. */
export function configPlace(
  { globals, machine, terminal }: Context,
  beneath?: ConfigPlace["beneath"],
): ConfigPlace {
  return {
    argument: globals.config,
    account: globals.account,
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
