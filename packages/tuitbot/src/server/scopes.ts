import { scopesFor } from "@toolpact/x-api";
import type { Profile } from "../profiles.ts";
import { fullCatalog } from "./catalog.ts";

/** What a person is asked to grant for the tools of a profile: no more than they need. */
export function scopesForProfile(profile: Profile): readonly string[] {
  const tools = fullCatalog.select({ profile }).tools;
  return scopesFor(["getUsersMe", ...tools.flatMap(({ facts }) => facts.operations ?? [])]);
}
