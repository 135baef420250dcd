import { rmSync } from "node:fs";
import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../errors.ts";
import { checkHolds, type Draft } from "../../project/atomic-write.ts";
import type { OpenEntry } from "../../project/journal.ts";
import { conflict, diskFailure, type FileChange, type Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { isSame, stateNow } from "../read-back/scene-difference.ts";

/**
 * Writes and removes files, all or none: recorded in the journal first, and read back. `check` inspects the content
 * before it is written and returns its problems.
 */
export async function commitFiles(
  project: Project,
  label: string,
  changes: readonly FileChange[],
  check: () => Promise<readonly string[]> = async () => [],
): Promise<Result<void, "E_INTERNAL" | "E_PERMISSION_DENIED">> {
  const drafts: (Draft | undefined)[] = [];
  let entry: OpenEntry | undefined;
  let at = changes[0]?.path;
  try {
    for (const { path, content } of changes) {
      at = path;
      drafts.push(content === null ? undefined : await project.draft(path, content));
    }
    const surprises = await check();
    if (surprises.length > 0 && at !== undefined) {
      await discard(drafts);
      return surpriseFailure(at, surprises, "Nothing was written.", { restored: true });
    }
    // New journal files would delay the flush that is under way.
    for (const draft of drafts) await draft?.written;
    entry = await project.journal.begin(
      label,
      changes.map(({ path, content }) => ({ path: path.res, content })),
    );
    for (const [index, change] of changes.entries()) {
      at = change.path;
      await put(change, drafts[index]);
    }
  } catch (error) {
    await discard(drafts);
    return (
      (await notRolledBack(entry, at?.res ?? "")) ??
      diskFailure(error as NodeJS.ErrnoException, at?.res ?? "")
    );
  }
  const changed = changes.find(({ path, content }) => !isSame({ content }, stateNow(path)));
  if (changed !== undefined) {
    return (await notRolledBack(entry, changed.path.res)) ?? conflict(changed.path.res);
  }
  await entry.close();
  return ok(undefined);
}

/** Rolls back; returns a failure only if the disk prevents that. */
async function notRolledBack(entry: OpenEntry | undefined, res: string) {
  try {
    await entry?.rollBack();
    return undefined;
  } catch (error) {
    return errors.fail(
      "E_PERMISSION_DENIED",
      `${res} could not be written, and the files that were written before it could not be restored (${codeOf(error)}).`,
      {
        details: { gate: "disk", path: res },
        suggestedFix: "Check the disk, then call godot_scene undo.",
        fixBy: "operator",
      },
    );
  }
}

async function put({ path, was }: FileChange, draft: Draft | undefined): Promise<void> {
  if (draft !== undefined) return draft.put(was);
  checkHolds(path.absolute, was);
  rmSync(path.absolute, { force: true });
}

async function discard(drafts: readonly (Draft | undefined)[]): Promise<void> {
  for (const draft of drafts) await draft?.discard();
}

export function surpriseFailure(
  path: ProjectPath,
  surprises: readonly string[],
  ending: string,
  details: JsonObject,
) {
  return errors.fail("E_INTERNAL", `${path.res} was saved with changes that nobody asked for. ${ending}`, {
    details: { path: path.res, surprises: surprises.slice(0, 20), ...details },
    suggestedFix: "Report this with the file; try another mode until then.",
    fixBy: "operator",
  });
}

/** Returns the code of a file-system error; rethrows any other error, which is a bug. */
export function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}
