import { EFFECTS, type Json, type JsonObject, type Tool } from "@toolpact/contract";
import { catalog, okEnvelope, type SchemaStyle, type Surface, surfaceOf } from "@toolpact/contract/internal";
import { errors } from "../errors.ts";
import { allTools } from "../tools/all.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { skills } from "./skills.gen.ts";

/** A tool as clients see it, with the facts that decide whether it is listed. */
export interface ToolEntry {
  readonly toolset: string;
  readonly isDefault: boolean;
  /** Its entry of `tools/list`. */
  readonly listed: JsonObject;
}

/** Every tool in one style; for a read-only server only the actions that change nothing. */
export function toolEntries(style: SchemaStyle, readOnly: boolean): readonly ToolEntry[] {
  const tools = readOnly ? allTools.tools.flatMap((tool) => readingPart(tool) ?? []) : allTools.tools;
  return tools.map((tool) => ({
    toolset: tool.category,
    isDefault: tool.profiles.includes("default"),
    listed: listed(tool, style),
  }));
}

/** The actions of a tool that change nothing, or undefined if there are none. */
function readingPart(tool: Tool): Tool | undefined {
  const reads = tool.effects.map((effect) => !EFFECTS[effect].mutates);
  if (reads.every((read) => read)) return tool;
  const reading = tool.actions.filter((_, index) => reads[index]);
  return reading.length === 0 ? undefined : tool.withActions(reading.map(({ name }) => name));
}

export function listedBeside(): Pick<Surface, "resources" | "resourceTemplates" | "prompts" | "skills"> {
  return surfaceOf({ ...NAMELESS, catalog: catalog([]), resources, prompts, skills });
}

function listed(tool: Tool, schemaStyle: SchemaStyle): JsonObject {
  const { tools } = surfaceOf({ ...NAMELESS, catalog: catalog([tool]), schemaStyle });
  const entry = withoutEmpty(tools[0] ?? {}) as JsonObject;
  return {
    ...entry,
    ...(schemaStyle === "flat" && { inputSchema: withoutBounds(entry.inputSchema) }),
    annotations: neededHints(entry.annotations as JsonObject),
  } as JsonObject;
}

/**
 * Without the bounds of numbers, texts and lists: every call is checked against them, and refusals, `tool_help` and
 * the style that lists each action contain them.
 */
function withoutBounds(schema: Json | undefined): Json | undefined {
  if (Array.isArray(schema)) return schema.map((item) => withoutBounds(item) ?? null);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema as JsonObject)
      .filter(([key, member]) => !(BOUNDS.has(key) && typeof member !== "object"))
      .map(([key, member]) => [key, withoutBounds(member)]),
  );
}

const BOUNDS = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
]);

/** The hints that differ from MCP's defaults, and whether a mutating tool may overwrite or remove. */
function neededHints({ readOnlyHint, destructiveHint, openWorldHint }: JsonObject): JsonObject {
  return { ...(readOnlyHint ? { readOnlyHint } : { destructiveHint }), openWorldHint };
}

/** Describes a free object only by its type: an empty schema confuses some clients. */
function withoutEmpty(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as JsonObject);
  const isFree = members.some(([key, member]) => key === "additionalProperties" && isEmpty(member));
  return Object.fromEntries(
    members
      .filter(([, member]) => !(isFree && isEmpty(member)))
      .map(([key, member]) => [key, withoutEmpty(member)]),
  );
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const NAMELESS = {
  name: "",
  version: "",
  instructions: "",
  format: okEnvelope(errors),
};
