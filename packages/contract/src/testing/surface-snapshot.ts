import type { JsonObject } from "../json.ts";
import { costOf, type Surface } from "../surface.ts";

/**
 * Everything a client sees before its first call, as text for snapshot tests: each tool with its schemas, hints and
 * cost, sorted by name. A change to the surface then changes a committed file.
 *
 * ```ts
 * const text = surfaceSnapshot(app.surface);
 * ```
 */
export function surfaceSnapshot(surface: Surface): string {
  const { name, instructions, resources, resourceTemplates, prompts, skills = [] } = surface;
  const tools = [...surface.tools].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
  const snapshot = {
    server: name,
    cost: { tools: tools.length, list: costOf(tools), instructions: costOf(instructions) },
    instructions,
    tools: tools.map((tool) => ({ ...tool, cost: costOf(tool) })),
    ...unlessEmpty({ resources, resourceTemplates, prompts, skills }),
  };
  return `${JSON.stringify(snapshot, null, 2)}\n`;
}

function unlessEmpty(lists: Readonly<Record<string, readonly JsonObject[]>>) {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
