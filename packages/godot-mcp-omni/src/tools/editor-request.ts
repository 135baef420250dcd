import type { Failure, Outcome } from "@toolpact/contract";
import type { Operation, ParamsOf, ResultOf } from "../drivers/operations.ts";
import type { GodotCode } from "../errors.ts";
import type { Godots } from "../workspace/godots.ts";
import { type Answer, told } from "./answer.ts";

/** Asks the connected editor; without one the failure says how to get it. */
export async function askEditor<O extends Operation>(
  godots: Godots,
  signal: AbortSignal,
  operation: O,
  params: ParamsOf<O>,
): Promise<Outcome<ResultOf<O>, Failure<GodotCode>>> {
  const editor = godots.connectedEditor();
  return editor.ok ? editor.value.request(operation, params, { signal }) : editor;
}

export function toldByEditor(value: object, summary: string): Answer {
  return told(value, { summary, execution: { mode: "editor" } });
}
