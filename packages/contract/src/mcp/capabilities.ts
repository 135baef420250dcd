import { HOUR_MS } from "../clock.ts";
import { APP_MIME_TYPE } from "../resource.ts";
import type { Surface } from "../surface.ts";

/** Instructions for agents. */
const SKILLS = "io.modelcontextprotocol/skills";
/** Calls that finish later. */
export const TASKS = "io.modelcontextprotocol/tasks";
/** Pages that show a tool's answers. */
const APPS = "io.modelcontextprotocol/ui";

export const NEVER_CHANGES = { ttlMs: HOUR_MS, cacheScope: "public" } as const;
export const MAY_CHANGE = { ttlMs: 0, cacheScope: "private" } as const;

/** In the order of the response. */
export function capabilitiesOf(
  { resources, resourceTemplates, prompts, skills = [] }: Surface,
  { toolsChange = false, hasTasks = false }: { readonly toolsChange?: boolean; readonly hasTasks?: boolean },
) {
  const hasResources = resources.length + resourceTemplates.length > 0;
  const hasPrompts = prompts.length > 0;
  const extensions: Record<string, Record<string, never>> = {
    ...(skills.length > 0 && { [SKILLS]: {} }),
    ...(hasTasks && { [TASKS]: {} }),
    ...(resources.some(({ mimeType }) => mimeType === APP_MIME_TYPE) && { [APPS]: {} }),
  };
  return {
    tools: toolsChange ? { listChanged: true } : {},
    logging: {},
    ...(hasResources && { resources: { subscribe: true } }),
    ...(hasPrompts && { prompts: {} }),
    ...((hasPrompts || hasResources) && { completions: {} }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}

export function cacheHints(list: typeof NEVER_CHANGES | typeof MAY_CHANGE, toolsChange: boolean) {
  return {
    "server/discover": list,
    "tools/list": toolsChange ? MAY_CHANGE : list,
    "prompts/list": list,
    "resources/list": list,
    "resources/templates/list": list,
  };
}
