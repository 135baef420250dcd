import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { Godots, Mode, Way } from "../workspace/godots.ts";
import type { GodotDriver } from "./driver.ts";

export interface SceneWork {
  readonly project: Project;
  readonly godots: Godots;
  readonly signal: AbortSignal;
}

export interface SceneRequest {
  /** May be left out where an editor has a scene open. */
  readonly scene?: string | undefined;
  readonly mode?: Mode | undefined;
}

/** The way to work on a scene, and where it is. */
export async function sceneTarget(
  { project, godots, signal }: SceneWork,
  { scene, mode }: SceneRequest,
): Promise<Outcome<{ way: Way; path: ProjectPath }, Failure<GodotCode>>> {
  const way = await godots.way(mode, signal);
  if (!way.ok) return way;
  const named = scene === undefined ? await currentScene(way.value.driver, signal) : ok(scene);
  if (!named.ok) return named;
  const path = await project.resolve(named.value);
  if (!path.ok) return path;
  if (!/\.t?scn$/.test(path.value.res))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${path.value.res} is not a scene: its name ends in .tscn or .scn.`,
      {
        details: { path: path.value.res },
      },
    );
  return ok({ way: way.value, path: path.value });
}

async function currentScene(
  driver: GodotDriver | undefined,
  signal: AbortSignal,
): Promise<Outcome<string, Failure<GodotCode>>> {
  const needed = () =>
    errors.fail("E_SCHEMA_VALIDATION", "Name the scene: no editor has one open.", {
      suggestedFix: "Add scene, such as res://main.tscn.",
    });
  if (driver?.mode !== "editor") return needed();
  const state = await driver.request("editor.state", {}, { signal });
  if (!state.ok) return state;
  return state.value.current === null ? needed() : ok(state.value.current);
}
