import { catalog } from "@toolpact/contract/internal";
import { scopesFor } from "@toolpact/x-api";
import { withCallOptions } from "../guards/call/call-options.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { allTools } from "../tools/all-tools.ts";

/** Every tool of every profile. */
export const fullCatalog: TuitbotCatalog = catalog(allTools);

/** The tools of a profile as it offers them. */
export function catalogFor(profile: Profile): TuitbotCatalog {
  const selected = fullCatalog.select({ profile });
  return isWorkflowProfile(profile) ? catalog(selected.tools.map(withCallOptions)) : selected;
}

/** What a person is asked to grant for the tools of a profile: no more than they need. */
export function scopesForProfile(profile: Profile): readonly string[] {
  const tools = fullCatalog.select({ profile }).tools;
  return scopesFor(["getUsersMe", ...tools.flatMap(({ facts }) => facts.operations ?? [])]);
}
