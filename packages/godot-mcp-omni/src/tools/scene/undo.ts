import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { type DriverContext, scenePath } from "../../drivers/ask.ts";
import type { Mode } from "../../drivers/driver.ts";
import type { Direction } from "../../project/journal.ts";
import type { JournalEntry } from "../../project/journal-entry.ts";
import { diskFailure } from "../../project/project.ts";
import type { Answer } from "../answer.ts";
import { count } from "../words.ts";

interface UndoInput {
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly force?: boolean | undefined;
}

export function undo(work: DriverContext, input: UndoInput): Promise<Answer> {
  return step(work, input, "undo");
}

export function redo(work: DriverContext, input: UndoInput): Promise<Answer> {
  return step(work, input, "redo");
}

/**
 * The editor keeps its own history; what was done without it, or made or replaced a whole file, is in the journal. That
 * is not walked unasked while an editor has the scene open: it would find another file under its hands.
 */
async function step(work: DriverContext, input: UndoInput, direction: Direction): Promise<Answer> {
  const { project, godots, signal } = work;
  const useEditor = input.mode === "editor" || (input.mode === undefined && godots.editor() !== undefined);
  if (!useEditor) {
    const path = input.scene === undefined ? undefined : await project.resolve(input.scene);
    return path === undefined || path.ok ? inJournal(work, path?.value.res, input.force, direction) : path;
  }
  return godots.use("editor", signal, async (editor): Promise<Answer> => {
    const path = await scenePath(work, editor, input.scene);
    if (!path.ok) return path;
    const { res, absolute } = path.value;
    const answer = await editor.request(`scene.${direction}`, { scene: res }, { signal });
    if (answer.ok)
      return ok(
        { ...answer.value },
        {
          summary: `${VERBS[direction]} "${answer.value.step}" in ${res}.`,
          execution: { mode: "editor" },
          files: [{ kind: "scene", pathAbs: absolute, resPath: res }],
        },
      );
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
): Promise<Answer> {
  const entry = await project.step(direction, { path, force }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return diskFailure(error, path ?? "A file of the last change");
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

const VERBS = { undo: "Took back", redo: "Did again" } as const satisfies Record<Direction, string>;

export async function history(
  { project }: DriverContext,
  { scene, limit = 20 }: { readonly scene?: string | undefined; readonly limit?: number | undefined },
): Promise<Answer> {
  const path = scene === undefined ? undefined : await project.resolve(scene);
  if (path !== undefined && !path.ok) return path;
  const entries = await project.journal.entries(path?.value.res);
  return ok(
    { entries: entries.slice(0, limit).map(row), total: entries.length },
    { summary: `${count(entries.length, "change")} in the journal.` },
  );
}

function row({ id, at, label, files, undone }: JournalEntry): JsonObject {
  return { id, at: new Date(at).toISOString(), label, files: files.map((file) => file.path), undone };
}
