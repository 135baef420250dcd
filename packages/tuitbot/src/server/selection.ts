import { failed, nearest, type Outcome, ok } from "@toolpact/contract";
import type { KnownCatalog } from "../mutation/plan.ts";
import type { Profile } from "../profiles.ts";
import { catalogFor } from "./catalog.ts";
import { EVERYDAY, everydayTools } from "./everyday.ts";

/** Narrows a profile; nothing widens it. */
export interface Narrowing {
  /** Categories, and `everyday`. */
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
}

/** The tools of a profile that are left, or the name that is none of its tools. */
export function selectTools(profile: Profile, narrowing: Narrowing): Outcome<KnownCatalog, string> {
  const whole = catalogFor(profile);
  const names = whole.tools.map(({ name }) => name);
  const categories = [...new Set(whole.tools.map(({ category }) => category))].sort();
  const problem =
    unknown("toolset", narrowing.toolsets, [EVERYDAY, ...categories], profile) ??
    unknown("tool", [...(narrowing.tools ?? []), ...(narrowing.excludeTools ?? [])], names, profile);
  if (problem !== undefined) return failed(problem);
  const { toolsets, tools, excludeTools } = narrowing;
  const isInToolset = ({ name, category }: { readonly name: string; readonly category: string }) =>
    toolsets === undefined ||
    toolsets.includes(category) ||
    (toolsets.includes(EVERYDAY) && everydayTools.includes(name));
  const selected = whole.select({
    tools: whole.tools
      .filter((tool) => isInToolset(tool) && (tools === undefined || tools.includes(tool.name)))
      .map(({ name }) => name),
    ...(excludeTools && { excludeTools }),
  });
  return selected.tools.length === 0 ? failed("No tool is left.") : ok(selected);
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
