import { ok } from "@toolpact/outcome";
import type { Drivers } from "../drivers/drivers.ts";
import { ASSET } from "../drivers/engine/engine.ts";
import type { Result } from "../errors.ts";
import { classNameOf } from "../formats/script-outline.ts";
import type { Project } from "../project/project.ts";
import { classScriptsOf } from "../scene-model/scene-world.ts";

const CLASSES = "res://.godot/global_script_class_cache.cfg";

/**
 * A Godot process that is not an editor finds classes and assets only in the cache that an editor wrote. If one is
 * missing there, the project is imported first; a project without classes and assets is left alone.
 */
export async function importFirst(
  project: Project,
  workspace: Drivers,
  signal: AbortSignal,
): Promise<Result<void>> {
  if (await isImported(project)) return ok(undefined);
  const engine = await workspace.engine();
  if (!engine.ok) return engine;
  const imported = await engine.value.request("project.import", {}, { signal });
  return imported.ok ? ok(undefined) : imported;
}

export async function isImported(project: Project): Promise<boolean> {
  const classes = await project.textOf(CLASSES);
  const known = classScriptsOf(classes);
  // If the main scene or an autoload is given by uid, only that cache has its path.
  const settings = await project.textOf("res://project.godot");
  if (classes === undefined && settings?.includes("uid://")) return false;
  const top = await project.resolve("res://");
  if (!top.ok) return true;
  for await (const { res } of project.files(top.value)) {
    if (ASSET.test(res) && (classes === undefined || !(await project.exists(`${res}.import`)))) return false;
    if (!res.endsWith(".gd")) continue;
    const declared = classNameOf((await project.textOf(res)) ?? "");
    // A moved script keeps its class name, and Godot looks for it at the old path.
    if (declared !== undefined && known.get(declared) !== res) return false;
  }
  return true;
}
