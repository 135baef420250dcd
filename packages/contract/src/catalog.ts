import { EFFECTS } from "./effects.ts";
import type { Tool } from "./tool.ts";

/** The tools of a product, or of one of its profiles, in the order of their names. */
export interface Catalog<Facts = unknown, Plan = unknown> {
  readonly tools: readonly Tool<Facts, Plan>[];
  readonly get: (name: string) => Tool<Facts, Plan> | undefined;
  /** Narrows; nothing widens. */
  readonly select: (selection: Selection) => Catalog<Facts, Plan>;
}

interface Selection {
  readonly profile?: string;
  /** Categories to keep. */
  readonly toolsets?: readonly string[];
  /** Names to keep. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  /** Keeps only what changes nothing, whatever else is asked for. */
  readonly readOnly?: boolean;
}

/**
 * Puts tools in order. Throws on a name that clients would refuse, and on one that is used twice.
 *
 * ```ts
 * const readonly = catalog(tools).select({ profile: "readonly", readOnly: true });
 * ```
 */
export function catalog<Facts = unknown, Plan = unknown>(
  tools: readonly Tool<Facts, Plan>[],
): Catalog<Facts, Plan> {
  const byName = new Map<string, Tool<Facts, Plan>>();
  for (const tool of tools) {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(tool.name))
      throw new Error(`${tool.name}: a tool's name is 1–64 of a–z, 0–9 and _.`);
    if (byName.has(tool.name)) throw new Error(`${tool.name} is declared twice.`);
    byName.set(tool.name, tool);
  }
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    tools: sorted,
    get: (name) => byName.get(name),
    select: (selection) => catalog(sorted.filter((tool) => selected(tool, selection))),
  };
}

function selected(tool: Tool, { profile, toolsets, tools, excludeTools, readOnly }: Selection): boolean {
  if (profile !== undefined && !tool.profiles.includes(profile)) return false;
  if (toolsets !== undefined && !toolsets.includes(tool.category)) return false;
  if (tools !== undefined && !tools.includes(tool.name)) return false;
  if (excludeTools?.includes(tool.name)) return false;
  return !(readOnly && tool.effects.some((effect) => EFFECTS[effect].mutates));
}
