import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { type DriverContext, scenePath, showRestored } from "../../drivers/ask.ts";
import { commitEdit } from "../../drivers/commit/commit-edit.ts";
import type { EditorStep, GodotDriver, Mode } from "../../operations/driver.ts";
import type { Direction, HistoryOptions } from "../../project/journal.ts";
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
 * Undoes or redoes the last edit, wherever it was made. The journal has every edit; those of an open editor go through
 * its own history, which keeps the editor's memory and the user's work. If that history lost a step, because the
 * scene or the editor was closed, the journal is used.
 */
async function step(
  work: DriverContext,
  input: UndoInput,
  direction: Direction,
): Promise<ToolAnswer<Stepped>> {
  const { project, workspace } = work;
  if (input.mode === "editor") return inEditor(work, input.scene, direction);
  const named = input.scene === undefined ? undefined : await project.resolve(input.scene);
  if (named !== undefined && !named.ok) return named;
  const path = named?.value.res;
  const editor = input.mode === undefined ? workspace.editor() : undefined;
  if (editor === undefined) return inJournal(work, { path, force: input.force }, direction);
  const stored = await project.journal.next(direction, { path });
  const last = lastStep(editor.steps?.() ?? [], path, stored, direction);
  const isSame = last?.entry !== undefined;
  if (last !== undefined && (stored === undefined || isSame || isNext(last, stored, direction))) {
    const done = await inEditor(work, last.scene, direction);
    if (done.ok || done.failure.code !== "E_NOT_FOUND" || !isSame) return done;
  }
  // The user may have made the last edit.
  if (stored === undefined) return inEditor(work, input.scene, direction);
  const unsaved = await unsavedScene(editor, stored, work.signal);
  if (unsaved !== undefined) return inEditor(work, unsaved, direction);
  const done = await inJournal(work, { id: stored.id, force: input.force }, direction);
  if (done.ok) await showRestored(editor, stored);
  if (done.ok || done.failure.details?.gate !== "journal") return done;
  const scene = stored.files.find(({ path }) => /\.t?scn$/.test(path))?.path;
  const byPerson = scene === undefined ? done : await inEditor(work, scene, direction);
  return byPerson.ok ? byPerson : done;
}

/** The editor's next step to undo or redo, of one scene or all: the journal's, or one missing there. */
function lastStep(
  steps: readonly EditorStep[],
  path: string | undefined,
  stored: JournalEntry | undefined,
  direction: Direction,
): EditorStep | undefined {
  const possible = steps.filter(
    ({ scene, entry }) =>
      (path === undefined || scene === path) && (entry === undefined || entry === stored?.id),
  );
  return direction === "undo"
    ? possible.findLast(({ undone }) => !undone)
    : possible.find(({ undone }) => undone);
}

function isNext(step: EditorStep, entry: JournalEntry, direction: Direction): boolean {
  return direction === "undo" ? step.at > entry.at : step.at < entry.at;
}

/** A scene of a change that has unsaved work in the editor. */
async function unsavedScene(
  editor: GodotDriver,
  { files }: JournalEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const state = await editor.request("editor.state", {}, { signal });
  const open = state.ok ? state.value.scenes : [];
  return open.find(({ scene, unsaved }) => unsaved && files.some(({ path }) => path === scene))?.scene;
}

function inEditor(
  work: DriverContext,
  scene: string | undefined,
  direction: Direction,
): Promise<ToolAnswer<Stepped>> {
  return work.workspace.use("editor", work.signal, async (editor): Promise<ToolAnswer<Stepped>> => {
    const path = await scenePath(work, editor, scene);
    if (!path.ok) return path;
    const { res, absolute } = path.value;
    const answer = await commitEdit(work, editor, {
      operation: `scene.${direction}`,
      params: { scene: res },
      path: path.value,
      label: `${direction} in ${res}`,
    });
    if (!answer.ok) return answer;
    const { warnings } = answer.value;
    const { hadUnsaved: _unsaved, position: _position, ...result } = answer.value.result;
    return ok(result, {
      summary: `${VERBS[direction]} "${result.step}" in ${res}.`,
      execution: { mode: "editor" },
      files: [{ kind: "scene", pathAbs: absolute, resPath: res }],
      ...(warnings.length > 0 && { warnings }),
    });
  });
}

async function inJournal(
  { project }: DriverContext,
  options: HistoryOptions,
  direction: Direction,
): Promise<ToolAnswer<Stepped>> {
  const entry = await project.step(direction, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return diskFailure(error, options.path ?? "A file of the last change", "call again to restore the rest");
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
