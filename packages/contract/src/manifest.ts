import type { Catalog } from "./catalog.ts";
import { EFFECTS, type Hints, hintsOf } from "./effects.ts";
import type { AnyErrorSet } from "./errors.ts";
import type { JsonObject, JsonSchema } from "./json.ts";
import type { SealedLane } from "./lane.ts";
import type { Tool } from "./tool.ts";

/** Every tool of a catalogue, for machines: sorted, deterministic, with nothing that changes by itself. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly tool_count: number;
  /** Codes any tool may answer with: bad arguments, and a defect of the server. */
  readonly common_error_codes: readonly string[];
  readonly tools: readonly ManifestEntry[];
}

/** One tool, and what a product adds to it. */
export interface ManifestEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly mutation: boolean;
  readonly hints: Hints;
  readonly profiles: readonly string[];
  readonly possible_error_codes: readonly string[];
  readonly input_schema: JsonSchema;
  readonly [extra: string]: unknown;
}

interface ManifestOptions {
  readonly name: string;
  readonly version: string;
  readonly catalog: Catalog;
  readonly errors: AnyErrorSet;
  /** Code of a service that is not to be had, by service. */
  readonly services: Readonly<Record<string, string>>;
  /** Every lane a tool may run in. */
  readonly lanesOf: (tool: Tool) => readonly SealedLane[];
  /** What a product adds to each entry. */
  readonly entry?: (tool: Tool) => JsonObject;
}

/**
 * Reads a manifest off the declarations.
 *
 * ```ts
 * const { errors, services } = product;
 * const manifest = manifestOf({
 *   name: "notes",
 *   version: "1.0.0",
 *   catalog: catalog(tools),
 *   errors,
 *   services,
 *   lanesOf: () => [everything],
 * });
 * const page = referenceMarkdown(manifest, "Tools of notes");
 * ```
 */
export function manifestOf(options: ManifestOptions): Manifest {
  const { name, version, catalog, errors } = options;
  return {
    name,
    version,
    tool_count: catalog.tools.length,
    common_error_codes: [errors.roles.badInput, errors.roles.internal].sort(),
    tools: catalog.tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      category: tool.category,
      mutation: tool.effects.some((effect) => EFFECTS[effect].mutates),
      hints: hintsOf(tool.effects, tool.openWorld),
      profiles: tool.profiles,
      ...options.entry?.(tool),
      possible_error_codes: possibleCodes(tool, options),
      input_schema: tool.inputSchema("oneOf"),
    })),
  };
}

/** What the tool declares, what its services cost, and what the guards before it may answer. */
function possibleCodes(
  tool: Tool,
  { services, lanesOf }: Pick<ManifestOptions, "services" | "lanesOf">,
): readonly string[] {
  const guards = lanesOf(tool).flatMap((lane) => lane.codes);
  const missing = tool.needs.flatMap((need) => services[need] ?? []);
  return [...new Set([...tool.errors, ...missing, ...guards])].sort();
}

/** The manifest as the text of a committed file. */
export function manifestJson(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
