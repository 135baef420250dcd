import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { type SceneWork, sceneTarget } from "../../drivers/scene-target.ts";
import type { Way } from "../../project/journal.ts";
import type { JournalEntry } from "../../project/journal-entry.ts";
import { diskFailure } from "../../project/project.ts";
import type { Mode } from "../../workspace/godots.ts";
import type { Answer } from "../answer.ts";
import { count } from "../words.ts";

interface UndoInput {
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly force?: boolean | undefined;
}

export function undo(work: SceneWork, input: UndoInput): Promise<Answer> {
  return step(work, input, "undo");
}

export function redo(work: SceneWork, input: UndoInput): Promise<Answer> {
  return step(work, input, "redo");
}

/**
 * The editor keeps its own history; what was done without it, or made or replaced a whole file, is in the journal. That
 * is not walked unasked while an editor has the scene open: it would find another file under its hands.
 */
async function step(work: SceneWork, input: UndoInput, way: Way): Promise<Answer> {
  const { project, godots, signal } = work;
  const useEditor = input.mode === "editor" || (input.mode === undefined && godots.editor() !== undefined);
  if (!useEditor) {
    const path = input.scene === undefined ? undefined : await project.resolve(input.scene);
    return path === undefined || path.ok ? inJournal(work, path?.value.res, input.force, way) : path;
  }
  const target = await sceneTarget(work, { scene: input.scene, mode: "editor" });
  if (!target.ok) return target;
  const { way: editor, path } = target.value;
  const answer = await editor.driver?.request(`scene.${way}`, { scene: path.res }, { signal });
  if (answer === undefined) throw new Error("The editor's way has a driver.");
  if (answer.ok)
    return ok(
      { ...answer.value },
      {
        summary: `${WORDS[way]} "${answer.value.step}" in ${path.res}.`,
        execution: { mode: "editor" },
        files: [{ kind: "scene", pathAbs: path.absolute, resPath: path.res }],
      },
    );
  if (answer.failure.code !== "E_NOT_FOUND") return answer;
  const kept = await project.journal.next(way, { path: path.res });
  if (kept === undefined) return answer;
  const suggestedFix = `"${kept.label}" is in the journal: call ${way} with scene ${path.res} and mode files.`;
  return { ...answer, failure: { ...answer.failure, suggestedFix, fixBy: "agent" } };
}

async function inJournal(
  { project }: SceneWork,
  path: string | undefined,
  force: boolean | undefined,
  way: Way,
): Promise<Answer> {
  const entry = await project.step(way, { path, force }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return diskFailure(error, path ?? "A file of the last change");
  });
  if (!entry.ok) return entry;
  return ok(
    { step: entry.value.label, files: entry.value.files.map((file) => file.path) },
    {
      summary: `${WORDS[way]} "${entry.value.label}".`,
      execution: { mode: "files" },
      files: entry.value.files.map((file) => ({
        kind: "restored",
        pathAbs: project.absolute(file.path),
        resPath: file.path,
      })),
    },
  );
}

const WORDS = { undo: "Took back", redo: "Did again" } as const satisfies Record<Way, string>;

export async function history(
  { project }: SceneWork,
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
