import type { OkNotes } from "@toolpact/contract/internal";
import { ok, type Success } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import type { ParamsOf, Question, ResultOf } from "../operations/operations.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ToolAnswer } from "./product.ts";

export interface EditorWork {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Asks the connected editor; without one the failure explains how to connect it. */
export async function askEditor<O extends Question>(
  { workspace, signal }: EditorWork,
  operation: O,
  params: ParamsOf<O>,
): Promise<Result<ResultOf<O>>> {
  const editor = workspace.connectedEditor();
  if (!editor.ok) return editor;
  return editor.value.request(operation, params, { signal });
}

/** Asks the connected editor and returns its answer. */
export async function answerOfEditor<O extends Question>(
  work: EditorWork,
  operation: O,
  params: ParamsOf<O>,
  summary: (value: ResultOf<O>) => string,
): Promise<ToolAnswer<ResultOf<O>>> {
  const answer = await askEditor(work, operation, params);
  return answer.ok ? editorAnswer(answer.value, summary(answer.value)) : answer;
}

export function editorAnswer<T extends object>(value: T, summary: string): Success<T, OkNotes> {
  return ok(value, { summary, execution: { mode: "editor" } });
}
