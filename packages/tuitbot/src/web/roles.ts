import { EFFECTS, type JsonObject } from "@toolpact/contract";
import type { Role } from "../app/sign-in/roles.ts";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";

/**
 * The role that a call of a tool needs. A viewer reads what is stored. Tools that change anything, and those
 * that call X or a model, which costs money, need the owner: an approver decides about items, which no tool does.
 */
export function roleFor(tool: TuitbotTool, args: JsonObject): Role {
  const parsed = tool.parse(args);
  const effects = parsed.ok ? [parsed.value.effect] : tool.effects;
  const changes = effects.some((effect) => EFFECTS[effect].mutates);
  const costs = tool.needs.includes("x") || tool.needs.includes("llm");
  return changes || costs || tool.facts.makesCalls === true ? "owner" : "viewer";
}
