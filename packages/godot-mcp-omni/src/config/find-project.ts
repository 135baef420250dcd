import { statSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { realPlace } from "../project/project-path.ts";

type Found = Result<string, "E_NOT_FOUND">;

/**
 * Real path of the configured folder, which need not exist yet, or of the nearest project at or above the working
 * folder.
 */
export function projectFolder(named: string | undefined, cwd: string): Found {
  if (named !== undefined) {
    const folder = path.resolve(cwd, path.basename(named) === "project.godot" ? path.dirname(named) : named);
    const place = realPlace(folder);
    return place !== undefined && (statOf(place)?.isDirectory() ?? true)
      ? ok(place)
      : notFound(`${folder} is no folder.`, NAME_ONE);
  }
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    if (holdsProject(folder)) return ok(realPlace(folder) ?? folder);
    if (folder === path.dirname(folder))
      return notFound(`Neither ${cwd} nor a folder above it has a project.godot.`, NAME_ONE);
  }
}

/** The folder, if it holds a project now. */
export function projectIn(folder: string): Found {
  if (holdsProject(folder)) return ok(folder);
  return notFound(
    `There is no project yet: ${folder} has no project.godot.`,
    "Make one there with godot_project project.create, or start the server with --project on the folder of another.",
  );
}

const NAME_ONE =
  "Start the server with --project FOLDER: the folder of a project, or one to make a project in.";

function holdsProject(folder: string): boolean {
  return statOf(path.join(folder, "project.godot"))?.isFile() ?? false;
}

function statOf(place: string) {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file or is not accessible, so there is no project.
    return undefined;
  }
}

function notFound(message: string, suggestedFix: string) {
  return errors.fail("E_NOT_FOUND", message, { suggestedFix, fixBy: "operator" });
}
