import type { CommandContext, CommandFailure, OptionValues } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";
import type { globalOptions, Machine } from "./machine.ts";

export type Context = CommandContext<Machine, OptionValues<typeof globalOptions>>;

export function configPlace({ globals, machine, terminal }: Context): ConfigPlace {
  return { argument: globals.config, env: terminal.env, home: machine.home, cwd: machine.cwd };
}

/** The configuration, or everything that is wrong with it as the failure of the command. */
export async function loadedConfig(context: Context): Promise<Outcome<LoadedConfig, CommandFailure>> {
  const [{ loadConfig }, { problemLine }] = await Promise.all([
    import("../config/load.ts"),
    import("../config/problem.ts"),
  ]);
  const loaded = await loadConfig(configPlace(context));
  if (loaded.ok) return ok(loaded.value);
  const { file, problems } = loaded.failure;
  const lines = problems.map((problem) => `\n  ${problemLine(problem)}`).join("");
  return failed({ message: `The configuration${file === undefined ? "" : ` ${file}`} is wrong:${lines}` });
}
