import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import { SceneText } from "../formats/scene-text.ts";
import { inSlices } from "../formats/slices.ts";
import { loadClassTable } from "../godot/class-table.ts";
import { cannotDo } from "../operations/driver.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { loadWorld, mentionedPaths, type SceneWorld } from "./scene-world.ts";

export interface LoadedScene {
  readonly scene: SceneText;
  /** What the file held. */
  readonly text: string;
  readonly world: SceneWorld;
}

/** A scene's text with all that is needed to understand it, and what `more` mentions. `changed` are scenes as they will be. */
export async function loadScene(
  project: Project,
  path: ProjectPath,
  more?: Json,
  changed?: ReadonlyMap<string, SceneText>,
): Promise<Result<LoadedScene>> {
  const read = await project.textAt(path);
  if (!read.ok) return read;
  const { text } = read.value;
  if (!path.res.endsWith(".tscn"))
    return cannotDo(
      "files",
      `${path.res} is not a scene in text form (.tscn).`,
      "Set GODOT_PATH, so that the engine can read it.",
    );
  const pending = changed?.get(path.res);
  const parsed = pending === undefined ? await inSlices(SceneText.parsing(text)) : ok(pending);
  if (!parsed.ok) return parsed;
  const known = new Map([...(changed ?? []), [path.res, parsed.value]]);
  const world = await loadWorldFor(project, [path.res, ...mentionedPaths(more)], known);
  return ok({ scene: parsed.value, text, world });
}

/** `known` are scenes that were read already. */
export async function loadWorldFor(
  project: Project,
  start: readonly string[],
  known?: ReadonlyMap<string, SceneText>,
): Promise<SceneWorld> {
  return loadWorld(
    await loadClassTable(),
    start,
    (file) => project.textOf(file),
    (file) => project.exists(file),
    known,
  );
}
