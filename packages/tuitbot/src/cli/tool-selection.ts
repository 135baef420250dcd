import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { defaultProfile, isWorkflowProfile, type Profile } from "../profiles.ts";
import type { ShortList } from "../server/load-surface.ts";
import type { ServingOptions } from "./serving-options.ts";

/** Returns the tools that the options select; undefined for all tools of the profile. */
export async function selectedTools(
  options: ServingOptions,
  profile: Profile,
): Promise<Outcome<readonly string[] | undefined, CommandFailure>> {
  const narrowing = {
    toolsets: options.toolsets,
    tools: options.tools,
    excludeTools: options["exclude-tools"],
  };
  if (Object.values(narrowing).every((names) => names === undefined)) return ok(undefined);
  const { selectTools } = await import("../server/selection.ts");
  const selected = await selectTools(profile, narrowing);
  return selected.ok ? selected : failed({ message: selected.failure, exitCode: EXIT.usage });
}

/** The options of a server for clients: its list is short unless it is asked for something else. */
export function withShortList<Options extends ServingOptions>(options: Options): Options {
  const { profile = defaultProfile, list, toolsets, tools } = options;
  const isWhole = !isWorkflowProfile(profile) || toolsets !== undefined || tools !== undefined;
  return list !== undefined || isWhole ? options : { ...options, list: "everyday" };
}

/** Returns the short list; undefined if all tools are listed. */
export async function listedTools(
  options: ServingOptions,
  profile: Profile,
): Promise<Outcome<ShortList | undefined, CommandFailure>> {
  const { list, toolsets, tools, "exclude-tools": excluded = [] } = options;
  // The lists of the other profiles are short, and they have no find_tools. A plugin's arguments are the same for all.
  if (list !== "everyday" || !isWorkflowProfile(profile)) return ok(undefined);
  if (toolsets !== undefined || tools !== undefined)
    return failed({
      message: "--list everyday shows a part of all tools, and --toolsets or --tools leave only some.",
      fix: "Give one of them.",
      exitCode: EXIT.usage,
    });
  const { everydayTools } = await import("../server/selection.ts");
  return ok({
    names: [...everydayTools(), "find_tools"].filter((name) => !excluded.includes(name)),
    hasOutputSchemas: options["output-schemas"] === true,
  });
}
