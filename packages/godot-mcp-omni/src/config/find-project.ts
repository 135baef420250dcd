import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import { errors } from "../errors.ts";

/** Real path of the project that was named, or of the nearest one at or above the working folder. */
export async function findProject(
  named: string | undefined,
  cwd: string,
): Promise<Outcome<string, Failure<"E_NOT_FOUND">>> {
  if (named !== undefined) {
    const folder = path.resolve(cwd, named.endsWith("project.godot") ? path.dirname(named) : named);
    return (await isProject(folder))
      ? ok(await realpath(folder))
      : notFound(`${folder} has no project.godot.`);
  }
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    if (await isProject(folder)) return ok(await realpath(folder));
    if (folder === path.dirname(folder))
      return notFound(`Neither ${cwd} nor a folder above it has a project.godot.`);
  }
}

async function isProject(folder: string): Promise<boolean> {
  const found = await stat(path.join(folder, "project.godot")).catch(() => undefined);
  return found?.isFile() ?? false;
}

function notFound(message: string) {
  return errors.fail("E_NOT_FOUND", message, {
    suggestedFix: "Start the server with --project FOLDER, the folder that holds project.godot.",
    fixBy: "operator",
  });
}
