import { EFFECTS } from "@toolpact/contract";
import { type OperationId, operations } from "@toolpact/x-api";
import type { TuitbotTool } from "../../src/guards/call/tool-facts.ts";
import { removedTools } from "../../src/tools/x/removed.ts";
import { toolCalls } from "../tool-calls.ts";

/** The X operations that a tool may call, the last one first. */
export function operationsFor(tool: TuitbotTool): readonly OperationId[] {
  const named = toolCalls[tool.name]?.operation;
  return named === undefined ? (tool.facts.operations ?? []) : [named];
}

export function primaryOperation(tool: TuitbotTool): OperationId | undefined {
  return tool.needs.includes("x") ? operationsFor(tool)[0] : undefined;
}

/** It never succeeds here: X has it no more, or wants keys that this server does not have. */
export function isClosed(tool: TuitbotTool): boolean {
  return tool.category === "ads" || removedTools.some(({ name }) => name === tool.name);
}

export function isChange({ effects }: TuitbotTool): boolean {
  return effects.some((effect) => EFFECTS[effect].mutates);
}

/** X takes only the app's token for it, so no account's standing matters. */
export function isOfApp(operation: OperationId): boolean {
  const { auth } = operations[operation];
  return auth.length > 0 && auth.every(({ scheme }) => scheme === "bearer");
}

export function scopesOf(operation: OperationId): readonly string[] {
  const auth = operations[operation].auth.find(({ scheme }) => scheme === "oauth2");
  return auth?.scheme === "oauth2" ? auth.scopes : [];
}

/** Runs operations in parallel, and the tools of one operation in sequence. */
export async function eachOperation(
  tools: readonly TuitbotTool[],
  act: (tool: TuitbotTool, operation: OperationId) => Promise<void>,
): Promise<void> {
  const groups = Map.groupBy(tools, primaryOperation);
  const ends = await Promise.allSettled(
    [...groups].map(async ([operation, group]) => {
      if (operation === undefined) return;
      for (const tool of group) await act(tool, operation);
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
