import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { type DriverContext, scenePath } from "../../drivers/ask.ts";
import { commitEdit } from "../../drivers/commit/commit-edit.ts";
import type { Mode } from "../../operations/driver.ts";
import type { Direction } from "../../project/journal.ts";
import type { JournalEntry } from "../../project/journal-entry.ts";
import { diskFailure } from "../../project/project.ts";
import type { PathCode } from "../../project/project-path.ts";
import { count as amount, list, text } from "../../shapes.ts";
import { count, type ToolAnswer } from "../product.ts";

interface UndoInput {
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly force?: boolean | undefined;
}

/** From the editor's history with `scene`, from the journal with `files`. */
export const stepped = z.strictObject({
  step: text,
  files: list(text).exactOptional(),
  scene: text.exactOptional(),
  saved: z.boolean().exactOptional(),
  canUndo: z.boolean().exactOptional(),
  canRedo: z.boolean().exactOptional(),
});

type Stepped = z.infer<typeof stepped>;

const change = z.strictObject({
  id: amount,
  at: text,
  label: text,
  files: list(text),
  undone: z.boolean(),
});

export const changeList = z.strictObject({ entries: list(change), total: amount });

export function undo(work: DriverContext, input: UndoInput): Promise<ToolAnswer<Stepped>> {
  return step(work, input, "undo");
}

export function redo(work: DriverContext, input: UndoInput): Promise<ToolAnswer<Stepped>> {
  return step(work, input, "redo");
}

/**
 * The editor keeps its own history; edits without it, and edits that create or replace a whole file, are in the journal.
 * The journal is used only on request while an editor is connected: the editor would find its open file changed.
 */
async function step(
  work: DriverContext,
  input: UndoInput,
  direction: Direction,
): Promise<ToolAnswer<Stepped>> {
  const { project, workspace, signal } = work;
  const useEditor = input.mode === "editor" || (input.mode === undefined && workspace.editor() !== undefined);
  if (!useEditor) {
    const path = input.scene === undefined ? undefined : await project.resolve(input.scene);
    return path === undefined || path.ok ? inJournal(work, path?.value.res, input.force, direction) : path;
  }
  return workspace.use("editor", signal, async (editor): Promise<ToolAnswer<Stepped>> => {
    const path = await scenePath(work, editor, input.scene);
    if (!path.ok) return path;
    const { res, absolute } = path.value;
    const answer = await commitEdit(work, editor, {
      operation: `scene.${direction}`,
      params: { scene: res },
      path: path.value,
      label: `${direction} in ${res}`,
    });
    if (answer.ok) {
      const { warnings } = answer.value;
      const { hadUnsaved: _unsaved, position: _position, ...result } = answer.value.result;
      return ok(result, {
        summary: `${VERBS[direction]} "${result.step}" in ${res}.`,
        execution: { mode: "editor" },
        files: [{ kind: "scene", pathAbs: absolute, resPath: res }],
        ...(warnings.length > 0 && { warnings }),
      });
    }
    if (answer.failure.code !== "E_NOT_FOUND") return answer;
    const stored = await project.journal.next(direction, { path: res });
    if (stored === undefined) return answer;
    const suggestedFix = `"${stored.label}" is in the journal: call ${direction} with scene ${res} and mode files.`;
    return { ...answer, failure: { ...answer.failure, suggestedFix, fixBy: "agent" } };
  });
}

async function inJournal(
  { project }: DriverContext,
  path: string | undefined,
  force: boolean | undefined,
  direction: Direction,
): Promise<ToolAnswer<Stepped>> {
  const entry = await project.step(direction, { path, force }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return diskFailure(error, path ?? "A file of the last change", "call again to restore the rest");
  });
  if (!entry.ok) return entry;
  return ok(
    { step: entry.value.label, files: entry.value.files.map((file) => file.path) },
    {
      summary: `${VERBS[direction]} "${entry.value.label}".`,
      execution: { mode: "files" },
      files: entry.value.files.map((file) => ({
        kind: "restored",
        pathAbs: project.absolute(file.path),
        resPath: file.path,
      })),
    },
  );
}

const VERBS = { undo: "Undid", redo: "Redid" } as const satisfies Record<Direction, string>;

export async function history(
  { project }: DriverContext,
  { scene, limit = 20 }: { readonly scene?: string | undefined; readonly limit?: number | undefined },
): Promise<ToolAnswer<z.infer<typeof changeList>, PathCode>> {
  const path = scene === undefined ? undefined : await project.resolve(scene);
  if (path !== undefined && !path.ok) return path;
  const entries = await project.journal.entries(path?.value.res);
  return ok(
    { entries: entries.slice(0, limit).map(row), total: entries.length },
    { summary: `${count(entries.length, "change")} in the journal.` },
  );
}

function row({ id, at, label, files, undone }: JournalEntry): z.infer<typeof change> {
  return { id, at: new Date(at).toISOString(), label, files: files.map((file) => file.path), undone };
}
