import { catalog } from "@toolpact/contract/internal";
import { scopesFor } from "@toolpact/x-api";
import { withCallOptions, withRepeatKey } from "../guards/call/call-options.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { allTools } from "../tools/all-tools.ts";

/** Every tool of every profile. */
export const fullCatalog: TuitbotCatalog = catalog(allTools);

/** The tools of a profile as it offers them. */
export function catalogFor(profile: Profile): TuitbotCatalog {
  const selected = fullCatalog.select({ profile });
  if (isWorkflowProfile(profile)) return catalog(selected.tools.map(withCallOptions));
  return profile === "utility-write" ? catalog(selected.tools.map(withRepeatKey)) : selected;
}

/** What a person is asked to grant for the tools of a profile: no more than they need. */
export function scopesForProfile(profile: Profile): readonly string[] {
  const tools = fullCatalog.select({ profile }).tools;
  return scopesFor(["getUsersMe", ...tools.flatMap(({ facts }) => facts.operations ?? [])]);
}
