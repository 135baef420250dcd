import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import type { GodotCode } from "../errors.ts";
import type { Project } from "../files/project.ts";
import type { Godots } from "../godots.ts";

const CACHE = "res://.godot/global_script_class_cache.cfg";

/**
 * A Godot that is not an editor knows classes and assets only from what an editor wrote down. Where that is missing
 * or lacks a class that a script declares, the project is imported first.
 */
export async function knowClasses(
  project: Project,
  godots: Godots,
  signal: AbortSignal,
): Promise<Outcome<void, Failure<GodotCode>>> {
  if (await isKnown(project)) return ok(undefined);
  const engine = await godots.engine();
  if (!engine.ok) return engine;
  const imported = await engine.value.request("project.import", {}, { signal });
  return imported.ok ? ok(undefined) : imported;
}

async function isKnown(project: Project): Promise<boolean> {
  const cache = await project.textOf(CACHE);
  if (cache === undefined) return false;
  const known = new Set(Array.from(cache.matchAll(/"class": &"(\w+)"/g), (match) => match[1]));
  const top = await project.resolve("res://");
  if (!top.ok) return true;
  for await (const { res } of project.files(top.value)) {
    if (!res.endsWith(".gd")) continue;
    const declared = /^class_name\s+(\w+)/m.exec((await project.textOf(res)) ?? "")?.[1];
    if (declared !== undefined && !known.has(declared)) return false;
  }
  return true;
}
