import type { JsonObject } from "@toolpact/contract";
import type { Surface } from "@toolpact/contract/internal";
import type { Profile } from "../profiles.ts";
import { instructionsFor } from "./instructions.ts";
import type { toolNames } from "./tool-names.ts";

/** Returns the part of a profile's surface with the selected tools: the same as a surface built from only these. */
export function narrowSurface(
  whole: Surface,
  profile: Profile,
  selected: readonly string[],
  { neededBy: { prompts, resources } }: ReturnType<typeof toolNames>,
): Surface {
  const names = new Set(selected);
  const has = (name: string) => names.has(name);
  const isLeft = (needed: Readonly<Record<string, readonly string[]>>, key: unknown) =>
    (needed[String(key)] ?? []).every(has);
  const left = whole.resources.filter(({ uri }) => isLeft(resources, uri));
  const apps = new Set(left.map(({ uri }) => uri));
  const { skills: every = [], ...rest } = whole;
  const skills = every.filter(({ uri }) => isLeft(resources, uri));
  return {
    ...rest,
    instructions: instructionsFor(profile, has),
    tools: whole.tools.filter(({ name }) => has(String(name))).map((tool) => withApp(tool, apps)),
    scopes: Object.fromEntries(Object.entries(whole.scopes).filter(([name]) => has(name))),
    resources: left,
    resourceTemplates: whole.resourceTemplates.filter(({ uriTemplate }) => isLeft(resources, uriTemplate)),
    prompts: whole.prompts.filter(({ name }) => isLeft(prompts, name)),
    ...(skills.length > 0 && { skills }),
  };
}

/** A tool names its app only where that is served. */
function withApp(tool: JsonObject, apps: ReadonlySet<unknown>): JsonObject {
  const { _meta: meta, ...rest } = tool;
  // The key that all clients know, as the contract writes it.
  const app = (meta as JsonObject | undefined)?.["ui/resourceUri"];
  return app === undefined || apps.has(app) ? tool : rest;
}
