import { EFFECTS, type Hints, hintsOf } from "./effects.ts";
import type { AnyErrorSet } from "./errors.ts";
import type { JsonObject, JsonSchema } from "./json.ts";
import type { Catalog } from "./product.ts";
import type { Tool } from "./tool.ts";

/** Every tool of a catalog, sorted and deterministic. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly tool_count: number;
  /** Codes any tool may return. */
  readonly common_error_codes: readonly string[];
  readonly tools: readonly ManifestEntry[];
}

export interface ManifestEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly mutation: boolean;
  readonly hints: Hints;
  readonly profiles: readonly string[];
  readonly possible_error_codes: readonly string[];
  readonly actions?: readonly ManifestAction[];
  readonly input_schema: JsonSchema;
  readonly [extra: string]: unknown;
}

interface ManifestAction {
  readonly name: string;
  readonly mutation: boolean;
  readonly possible_error_codes: readonly string[];
  readonly output_schema: JsonSchema;
}

interface ManifestOptions<Facts, Plan> {
  readonly name: string;
  readonly version: string;
  readonly catalog: Catalog<Facts, Plan>;
  readonly errors: AnyErrorSet;
  /** The code of each unavailable service. */
  readonly services: Readonly<Record<string, string>>;
  readonly stacksFor: (
    tool: Tool<Facts, Plan>,
  ) => readonly { readonly codesFor: (tool: Tool<Facts, Plan>) => readonly string[] }[];
  readonly entry?: (tool: Tool<Facts, Plan>) => JsonObject;
}

/**
 * Builds a manifest from the declarations.
 *
 * ```ts
 * const { errors, services } = product;
 * const manifest = manifestOf({
 *   name: "notes",
 *   version: "1.0.0",
 *   catalog: catalog(tools),
 *   errors,
 *   services,
 *   stacksFor: () => [writes],
 * });
 * const page = referenceMarkdown(manifest, "Tools of notes");
 * ```
 */
export function manifestOf<Facts, Plan>(options: ManifestOptions<Facts, Plan>): Manifest {
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
      ...possibleCodes(tool, options),
      input_schema: tool.inputSchema("oneOf"),
    })),
  };
}

function possibleCodes<Facts, Plan>(
  tool: Tool<Facts, Plan>,
  { services, stacksFor, errors }: Pick<ManifestOptions<Facts, Plan>, "services" | "stacksFor" | "errors">,
): Pick<ManifestEntry, "possible_error_codes" | "actions"> {
  const codesOf = (some: Tool<Facts, Plan>) => {
    // A service whose absence is a bug adds nothing: any tool may meet a bug.
    const missing = some.needs
      .flatMap((need) => services[need] ?? [])
      .filter((code) => code !== errors.roles.internal);
    const refused = stacksFor(some).flatMap((stack) => stack.codesFor(some));
    return [...new Set([...some.errors, ...missing, ...refused])].sort();
  };
  return {
    possible_error_codes: codesOf(tool),
    ...(tool.actions.length > 0 && {
      actions: tool.actions.map(({ name, effect }) => {
        const alone = tool.withActions([name]);
        return {
          name,
          mutation: EFFECTS[effect].mutates,
          possible_error_codes: codesOf(alone),
          output_schema: alone.outputSchema() ?? {},
        };
      }),
    }),
  };
}

export function manifestJson(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
