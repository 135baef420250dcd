import { EFFECTS, type JsonObject, type Tool } from "@toolpact/contract";

/**
 * What a tool is for a server that is read-only: its actions that change nothing, or undefined. The whole tool
 * still answers, so that a call of another action is refused by name.
 */
export function readingPart(tool: Tool): Tool | undefined {
  const reading = tool.effects.map((effect) => !EFFECTS[effect].mutates);
  if (reading.every((reads) => reads)) return tool;
  const actions = tool.actions.filter((_, index) => reading[index]);
  if (actions.length === 0) return undefined;
  const gone = new Set(tool.actions.filter((name) => !actions.includes(name)));
  return {
    ...tool,
    actions,
    effects: tool.effects.filter((effect) => !EFFECTS[effect].mutates),
    description: tool.description
      .split("\n")
      .filter((line) => !gone.has(/^- ([\w.]+)\(/.exec(line)?.[1] ?? ""))
      .join("\n"),
    inputSchema(style) {
      const branches = branchesOf(tool).filter((branch) => actions.includes(String(branch.title)));
      if (style === "oneOf")
        return {
          type: "object",
          properties: { action: { type: "string", enum: actions } },
          required: ["action"],
          oneOf: branches,
        };
      const properties = Object.assign({}, ...branches.map((branch) => branch.properties as JsonObject));
      return {
        type: "object",
        properties: { ...properties, action: { type: "string", enum: actions, description: "What to do" } },
        required: ["action"],
        additionalProperties: false,
      };
    },
  };
}

function branchesOf(tool: Tool): readonly JsonObject[] {
  // The `oneOf` style of an action tool is a list of object schemas.
  return (tool.inputSchema("oneOf").oneOf ?? []) as readonly JsonObject[];
}
