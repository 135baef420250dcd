import { catalog } from "@toolpact/contract";
import { withCallOptions } from "../mutation/call-options.ts";
import type { KnownCatalog } from "../mutation/plan.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { allTools } from "../tools/all-tools.ts";

/** Every tool of every profile. */
export const fullCatalog: KnownCatalog = catalog(allTools);

/** The tools of a profile as it offers them. */
export function catalogFor(profile: Profile): KnownCatalog {
  const selected = fullCatalog.select({ profile });
  return isWorkflowProfile(profile) ? catalog(selected.tools.map(withCallOptions)) : selected;
}
