import {
  catalog,
  type JsonObject,
  okEnvelope,
  type SchemaStyle,
  surfaceOf,
  type Tool,
} from "@toolpact/contract";
import { errors } from "./errors.ts";
import { readingPart } from "./reading-part.ts";
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

function listed(tool: Tool, schemaStyle: SchemaStyle): JsonObject {
  const { tools } = surfaceOf({
    name: "",
    version: "",
    instructions: "",
    catalog: catalog([tool]),
    dialect: okEnvelope(errors),
    schemaStyle,
  });
  return tools[0] ?? {};
}
