import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { FileCode, Project } from "../project/project.ts";
import type { Place } from "./game-shapes.ts";

/** Parses locations such as `res://a.gd:12` and checks that the script exists. */
export async function placesOf(
  project: Project,
  texts: readonly string[],
): Promise<Result<readonly Place[], FileCode>> {
  const places: Place[] = [];
  for (const text of texts) {
    const [, path = "", line] = /^(.+):(\d+)$/.exec(text) ?? [];
    if (line === undefined)
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `"${text.slice(0, 80)}" is not a line of a script: write res://a.gd:12.`,
      );
    const found = await project.readText(path);
    if (!found.ok) return found;
    places.push({ path: found.value.path.res, line: Number(line) });
  }
  return ok(places);
}
