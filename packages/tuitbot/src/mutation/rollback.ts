import type { Json, JsonObject, Tool } from "@toolpact/contract";
import { operationRow } from "../x/operation-table.ts";
import { objectIn } from "../x/shapes/x-object.ts";
import { factsOf, type Undo, writeOperation } from "./plan.ts";

/** How to undo what a tool has done. */
export interface Rollback {
  readonly reversible: boolean;
  readonly undo_tool?: string;
  readonly params?: JsonObject;
  readonly note?: string;
}

export function rollbackOf(tool: Tool, input: JsonObject, result: Json): Rollback {
  const facts = factsOf(tool);
  const row = operationRow(writeOperation(facts));
  if (row !== undefined && typeof row.undo !== "string") return { reversible: false, note: row.undo.because };
  const { undoTool, undo = idsOf } = facts;
  // What a tool answered with is JSON.
  const found = undoTool === undefined ? undefined : undo(input, objectIn(result) as JsonObject);
  if (undoTool === undefined || found === undefined)
    return { reversible: false, note: "No tool undoes this." };
  return { reversible: true, undo_tool: undoTool, ...found };
}

function idsOf(input: JsonObject): Undo {
  const ids = Object.entries(input).filter(
    ([name, value]) => /(^|_)id$/.test(name) && typeof value === "string",
  );
  return { params: Object.fromEntries(ids) };
}
