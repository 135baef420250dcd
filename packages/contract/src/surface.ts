import { withBoundsInText } from "./bounds-text.ts";
import { hintsOf } from "./effects.ts";
import type { EnvelopeFormat } from "./envelope-format.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Catalog } from "./product.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import { unportable } from "./schema.ts";
import { type Skill, skillEntry, skillResource } from "./skill.ts";
import type { SchemaStyle, Tool } from "./tool.ts";

/**
 * Everything a client sees before its first call, as plain JSON. A build computes it, so a server answers
 * before it loads a tool.
 */
export interface Surface {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly JsonObject[];
  /** Callable, but left out of the list to save tokens. */
  readonly unlisted?: readonly string[];
  /** By tool; tools without scopes are left out. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Absent without skills. */
  readonly skills?: readonly JsonObject[];
}

interface SurfaceOptions {
  readonly name: string;
  readonly version: string;
  /** At most 2,048 characters: clients cut the rest. */
  readonly instructions: string;
  readonly catalog: Catalog;
  readonly format: Pick<EnvelopeFormat, "outputSchema">;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  readonly skills?: readonly Skill[];
  readonly schemaStyle?: SchemaStyle;
}

const MAX_INSTRUCTIONS = 2048;

/**
 * Converts every schema. Throws at the first that clients would reject.
 *
 * ```ts
 * const surface = surfaceOf({
 *   name: "notes",
 *   version: "1.0.0",
 *   instructions: "Keeps notes.",
 *   catalog: catalog(tools),
 *   format: successEnvelope(errors),
 * });
 * ```
 */
export function surfaceOf(options: SurfaceOptions): Surface {
  const { name, version, instructions, catalog, format, prompts = [], skills = [] } = options;
  const resources = [...(options.resources ?? []), ...skills.map(skillResource)];
  if (instructions.length > MAX_INSTRUCTIONS) {
    throw new Error(
      `The instructions have ${instructions.length} characters; clients cut them at ${MAX_INSTRUCTIONS}.`,
    );
  }
  const { schemaStyle: style = "flat" } = options;
  const apps = new Set(resources.map(({ uri }) => uri));
  return {
    name,
    version,
    instructions,
    tools: catalog.tools.map((tool) => {
      const flat = tool.inputSchema("flat");
      const flaw = unportable(flat, style);
      if (flaw !== undefined)
        throw new Error(`${tool.name}: clients would refuse its input schema: ${flaw}.`);
      const output = tool.outputSchema();
      return {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        inputSchema: style === "flat" ? withBoundsInText(flat) : tool.inputSchema(style),
        ...(output !== undefined && !tool.hasContent && { outputSchema: format.outputSchema(output) }),
        annotations: { ...hintsOf(tool.effects, tool.openWorld), ...tool.hints },
        ...metaOf(tool, apps),
      };
    }),
    scopes: Object.fromEntries(
      catalog.tools.filter((tool) => tool.scopes.length > 0).map((tool) => [tool.name, tool.scopes]),
    ),
    resources: resources
      .filter((resource) => !resource.isTemplate)
      .map((resource) => ({ uri: resource.uri, ...listed(resource) })),
    resourceTemplates: resources
      .filter((resource) => resource.isTemplate)
      .map((resource) => ({ uriTemplate: resource.uri, ...listed(resource) })),
    prompts: prompts.map((prompt) => ({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments.map(
        ({ name, description, required }): Json => ({ name, description, required }),
      ),
    })),
    ...(skills.length > 0 && { skills: skills.map(skillEntry) }),
  };
}

function metaOf({ app, searchWords, isAlwaysLoaded }: Tool, apps: ReadonlySet<string>): JsonObject {
  const meta = {
    // A tool may be in profiles without its app. Some clients support only the second key.
    ...(app !== undefined && apps.has(app) && { ui: { resourceUri: app }, "ui/resourceUri": app }),
    // Claude Code searches long lists by these words, and always loads marked tools.
    ...(searchWords !== "" && { "anthropic/searchHint": searchWords }),
    ...(isAlwaysLoaded && { "anthropic/alwaysLoad": true }),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

function listed({ name, title, description, mimeType }: Resource): JsonObject {
  return { name, title, description, mimeType };
}

/** Paid by every conversation that includes it. */
export interface Cost {
  /** Size of its compact JSON. */
  readonly bytes: number;
  /** An estimate: four bytes per token is close for JSON. */
  readonly tokens: number;
}

const BYTES_PER_TOKEN = 4;

export function costOf(part: JsonObject | readonly JsonObject[] | string): Cost {
  const text = typeof part === "string" ? part : JSON.stringify(part);
  const bytes = new TextEncoder().encode(text).length;
  return { bytes, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}
