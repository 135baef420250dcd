import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
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

/** Returns the tools that the list shows at first; undefined for all of them. */
export async function listedTools(
  { list, toolsets, tools }: ServingOptions,
  profile: Profile,
): Promise<Outcome<readonly string[] | undefined, CommandFailure>> {
  if (list !== "everyday") return ok(undefined);
  if (!isWorkflowProfile(profile) || toolsets !== undefined || tools !== undefined)
    return failed({
      message: isWorkflowProfile(profile)
        ? "--list everyday shows a part of all tools, and --toolsets or --tools leave only some."
        : `The profile ${profile} has no find_tools, which finds what the list does not show.`,
      fix: isWorkflowProfile(profile) ? "Give one of them." : "Leave --list out: its list is short.",
      exitCode: EXIT.usage,
    });
  const { everydayTools } = await import("../server/selection.ts");
  return ok([...everydayTools(), "find_tools"]);
}
