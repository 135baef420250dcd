import { EFFECTS, type JsonObject } from "@toolpact/contract";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import type { Role } from "./api.ts";

const ORDER: readonly Role[] = ["viewer", "approver", "owner"];

export function isRole(text: string): text is Role {
  return ORDER.some((role) => role === text);
}

/** Whether somebody with one role may do what another role is needed for. */
export function mayAct(role: Role, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}

/**
 * The role that a call of a tool needs. A viewer looks at what is stored. What changes anything, and what X or a model
 * is asked, which costs money, needs the owner: an approver decides about items, which no tool does.
 */
export function roleFor(tool: TuitbotTool, args: JsonObject): Role {
  const parsed = tool.parse(args);
  const effects = parsed.ok ? [parsed.value.effect] : tool.effects;
  const changes = effects.some((effect) => EFFECTS[effect].mutates);
  const costs = tool.needs.includes("x") || tool.needs.includes("llm");
  return changes || costs || tool.facts.makesCalls === true ? "owner" : "viewer";
}
