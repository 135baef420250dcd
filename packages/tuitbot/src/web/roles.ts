import { EFFECTS, type JsonObject } from "@toolpact/contract";
import type { KnownTool } from "../mutation/plan.ts";
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
 * The role that a call of a tool needs. A viewer looks at what is stored; what X is asked costs money, and what is
 * changed here alone can be changed back, so an approver may do both; what X is told needs the owner.
 */
export function roleFor(tool: KnownTool, args: JsonObject): Role {
  const parsed = tool.parse(args);
  const effects = parsed.ok ? [parsed.value.effect] : tool.effects;
  const { isLocal, makesCalls } = tool.facts;
  if (effects.some((effect) => EFFECTS[effect].mutates))
    return isLocal === true && makesCalls !== true ? "approver" : "owner";
  return tool.needs.includes("x") || tool.needs.includes("llm") || makesCalls === true
    ? "approver"
    : "viewer";
}
