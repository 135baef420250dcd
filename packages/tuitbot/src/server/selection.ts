import { nearest } from "@toolpact/cli/nearest";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Profile } from "../profiles.ts";
import { prebuilt } from "./prebuilt.ts";

/** The one toolset that is not a category. */
const EVERYDAY = "everyday";

/** The names of the tools that are declared as `everyday`. */
export function everydayTools(): readonly string[] {
  return prebuilt.toolNames().tools.flatMap(({ name, facts }) => (facts.everyday ? [name] : []));
}

/** Narrows a profile; nothing widens it. */
export interface Narrowing {
  /** Categories, and `everyday`. */
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
}

/** Returns the names of the tools that are left, or a message about a name that is not a tool of the profile. */
export async function selectTools(
  profile: Profile,
  narrowing: Narrowing,
): Promise<Outcome<readonly string[], string>> {
  const names = prebuilt[profile]().tools.map(({ name }) => String(name));
  const categories = new Map(
    prebuilt.toolNames().tools.map(({ name, category }): [string, string] => [name, category]),
  );
  const known = [...new Set(names.map((name) => categories.get(name) ?? ""))].sort();
  const problem =
    unknown("toolset", narrowing.toolsets, [EVERYDAY, ...known], profile) ??
    unknown("tool", [...(narrowing.tools ?? []), ...(narrowing.excludeTools ?? [])], names, profile);
  if (problem !== undefined) return failed(problem);
  const { toolsets, tools, excludeTools } = narrowing;
  const everyday = everydayTools();
  const isInToolset = (name: string) =>
    toolsets === undefined ||
    toolsets.includes(categories.get(name) ?? "") ||
    (toolsets.includes(EVERYDAY) && everyday.includes(name));
  const selected = names.filter(
    (name) =>
      isInToolset(name) && (tools === undefined || tools.includes(name)) && !excludeTools?.includes(name),
  );
  return selected.length === 0 ? failed("No tool is left.") : ok(selected);
}

function unknown(
  what: "tool" | "toolset",
  asked: readonly string[] | undefined,
  known: readonly string[],
  profile: Profile,
): string | undefined {
  const name = asked?.find((candidate) => !known.includes(candidate));
  if (name === undefined) return undefined;
  const guess = nearest(name, known);
  const hint = guess === undefined ? "" : ` Did you mean ${guess}?`;
  const list = what === "toolset" ? ` It has ${known.join(", ")}.` : "";
  return `The profile ${profile} has no ${what} ${JSON.stringify(name)}.${hint}${list}`;
}
