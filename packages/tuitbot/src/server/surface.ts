import { type Surface, successEnvelope, surfaceOf } from "@toolpact/contract/internal";
import { errors } from "../errors.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import type { Profile } from "../profiles.ts";
import { version } from "../version.ts";
import { catalogFor } from "./catalog.ts";
import { instructionsFor } from "./instructions.ts";
import { promptsFor } from "./prompts.ts";
import { resourcesFor, skillsFor } from "./resources.ts";

/** What a client of this profile sees before its first call. */
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
