import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ok } from "@toolpact/outcome";
import { commitFiles } from "../drivers/commit/commit-files.ts";
import { errors, type Result } from "../errors.ts";
import type { FileChange, Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { Played } from "./played.ts";
import { pictureOf, type Recording, readRecording, writeRecording } from "./recording.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

export interface Kept {
  readonly recording: Recording;
  /** On the previously expected values, and the errors of the game. */
  readonly verdict: Verdict;
}

/** Stores the values and screenshots of this run as the expected ones if there were none. */
export async function keepRecording(
  recording: Recording,
  seen: Played,
  place: ProjectPath,
  project: Project,
): Promise<Result<Kept>> {
  const [undone] = seen.problems;
  if (undone !== undefined) return errors.fail("E_SCHEMA_VALIDATION", `Nothing was recorded: ${undone}`);
  const problem =
    seen.values.find((value) => "problem" in value) ??
    seen.pictures.find((picture) => picture.width === undefined);
  if (problem !== undefined && "problem" in problem)
    return errors.fail("E_SCHEMA_VALIDATION", `Nothing was recorded: ${problem.problem}`);
  const checks = recording.checks.map((check, index) => {
    const value = seen.values[index];
    return value !== undefined && "value" in value && check.expected === undefined
      ? { ...check, expected: value.value }
      : check;
  });
  const stored: Recording = { ...recording, checks };
  const verdict = verdictOf({ ...stored, pictures: [] }, seen);
  const changes: FileChange[] = [{ path: place, content: writeRecording(stored) }];
  for (const [index, picture] of recording.pictures.entries()) {
    const taken = seen.pictures[index];
    if (taken === undefined) continue;
    changes.push({
      path: { res: pictureOf(place.res, picture), absolute: pictureOf(place.absolute, picture) },
      content: readFileSync(taken.path),
    });
  }
  const folder = dirname(place.absolute);
  if (!existsSync(folder))
    // Godot would import the screenshots in a new folder.
    changes.push({
      path: { res: `${dirname(place.res)}/.gdignore`, absolute: join(folder, ".gdignore") },
      content: "",
    });
  const written = await commitFiles(project, `record ${place.res}`, changes);
  if (!written.ok) return written;
  return ok({ recording: stored, verdict });
}

/** Whether a recording may be written to a path: other files are not overwritten. */
export async function canKeep(project: Project, place: ProjectPath): Promise<Result<void>> {
  if (!place.res.endsWith(".json"))
    return errors.fail("E_SCHEMA_VALIDATION", `${place.res}: recordings end with .json.`);
  if (!existsSync(place.absolute)) return ok(undefined);
  const read = await project.textAt(place);
  if (!read.ok) return read;
  const before = readRecording(read.value.text, place.res);
  return before.ok ? ok(undefined) : before;
}
