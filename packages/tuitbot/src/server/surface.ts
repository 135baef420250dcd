import { type Surface, successEnvelope, surfaceOf } from "@toolpact/contract/internal";
import { errors } from "../errors.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import type { Profile } from "../profiles.ts";
import { version } from "../version.ts";
import { catalogFor, fullCatalog } from "./catalog.ts";
import { instructionsFor } from "./load-surface.ts";
import { promptsFor, toolsOfPrompts } from "./prompts.ts";
import { resourcesFor, skillsFor, toolsOfResources } from "./resources.ts";

/** The lists that a client of this profile sees before its first call. */
export function surfaceFor(profile: Profile, selected: TuitbotCatalog = catalogFor(profile)): Surface {
  return surfaceOf({
    name: "tuitbot",
    version,
    instructions: instructionsFor(profile, (tool) => selected.get(tool) !== undefined),
    catalog: selected,
    format: successEnvelope(errors, { timing: false }),
    resources: resourcesFor(profile, selected),
    skills: skillsFor(selected),
    prompts: promptsFor(selected),
  });
}

/** Names and categories of the tools, for code that does not need the tools themselves. */
export const toolNames = () => ({
  /** Every tool of every profile. */
  tools: fullCatalog.tools.map(({ name, category, facts: { olderNames, everyday } }) => ({
    name,
    category,
    facts: { ...(olderNames !== undefined && { olderNames }), ...(everyday && { everyday }) },
  })),
  /** The tools that each prompt and resource requires. */
  neededBy: { prompts: toolsOfPrompts(), resources: toolsOfResources() },
});
