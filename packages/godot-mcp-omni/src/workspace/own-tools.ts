import { type ToolFunction, toolFunctionsOf } from "../formats/tool-functions.ts";
import type { Project } from "../project/project.ts";

/** A function that a project offers to agents: `spawn.coins` is `static func coins` of `res://mcp_tools/spawn.gd`. */
export interface OwnTool extends Omit<ToolFunction, "name"> {
  readonly tool: string;
  readonly function: string;
  readonly path: string;
}

const FOLDER = "res://mcp_tools";

/** The project's own tools, from the text of its scripts. */
export async function ownTools(project: Project): Promise<readonly OwnTool[]> {
  const folder = await project.resolve(FOLDER);
  if (!folder.ok) return [];
  const tools: OwnTool[] = [];
  for await (const { res } of project.files(folder.value)) {
    if (!res.endsWith(".gd")) continue;
    const source = await project.textOf(res);
    const script = res.slice(FOLDER.length + 1, -".gd".length).replaceAll("/", ".");
    for (const { name, ...rest } of toolFunctionsOf(source ?? ""))
      tools.push({ tool: `${script}.${name}`, function: name, path: res, ...rest });
  }
  return tools;
}

/** `coins(row: Node2D, count: int, spacing: float = 32.0)` */
export function signatureOf({ function: name, parameters }: OwnTool): string {
  const list = parameters.map(
    (each) => `${each.name}: ${each.type}${each.default === undefined ? "" : ` = ${each.default}`}`,
  );
  return `${name}(${list.join(", ")})`;
}
