import { type Catalog, catalog } from "@toolpact/contract";
import { withCallOptions } from "../mutation/call-options.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { allTools } from "../tools/all-tools.ts";

/** Every tool of every profile. */
export const fullCatalog: Catalog = catalog(allTools);

/** The tools of a profile as it offers them. */
export function catalogFor(profile: Profile): Catalog {
  const selected = fullCatalog.select({ profile });
  return isWorkflowProfile(profile) ? catalog(selected.tools.map(withCallOptions)) : selected;
}
