import {
  catalog,
  type JsonObject,
  okEnvelope,
  type SchemaStyle,
  type Surface,
  surfaceOf,
  type Tool,
} from "@toolpact/contract";
import { errors } from "./errors.ts";
import { prompts } from "./prompts.ts";
import { readingPart } from "./reading-part.ts";
import { resources } from "./resources.ts";
import { allTools } from "./tools/all.ts";

/** A tool as clients see it, with what decides whether they do. */
export interface ToolEntry {
  readonly toolset: string;
  readonly isDefault: boolean;
  /** Its entry of `tools/list`. */
  readonly listed: JsonObject;
}

/** Every tool in one style; of a server that is read-only, the part that changes nothing. */
export function toolEntries(style: SchemaStyle, readOnly: boolean): readonly ToolEntry[] {
  const tools = readOnly ? allTools.tools.flatMap((tool) => readingPart(tool) ?? []) : allTools.tools;
  return tools.map((tool) => ({
    toolset: tool.category,
    isDefault: tool.profiles.includes("default"),
    listed: listed(tool, style),
  }));
}

/** The resources and prompts that every server has. */
export function listedBeside(): Pick<Surface, "resources" | "resourceTemplates" | "prompts"> {
  return surfaceOf({ ...NAMELESS, catalog: catalog([]), resources, prompts });
}

function listed(tool: Tool, schemaStyle: SchemaStyle): JsonObject {
  const { tools } = surfaceOf({ ...NAMELESS, catalog: catalog([tool]), schemaStyle });
  return tools[0] ?? {};
}

const NAMELESS = { name: "", version: "", instructions: "", dialect: okEnvelope(errors) };
