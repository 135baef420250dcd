import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../errors.ts";
import { renamingFile } from "../../graph/rename-file.ts";
import type { FileChange } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { EditCode } from "../product.ts";
import { taken } from "../scene/create.ts";
import type { GraphWork } from "./graph-actions.ts";
import type { Worked } from "./rename-action.ts";

/** Moves a file with Godot's files next to it, and updates references in scripts, scenes, resources and settings. */
export async function fileMove(
  { project, workspace }: GraphWork,
  path: string,
  to: string,
  also: readonly string[] = [],
): Promise<Result<Worked & { readonly moves: readonly FileChange[] }, EditCode>> {
  const target = await project.resolve(to);
  if (!target.ok) return target;
  const source = await project.readBytes(path);
  if (!source.ok) return source;
  const from = source.value.path;
  const refused = sameKind(from, target.value) ?? (await taken(project, target.value, false));
  if (refused !== undefined) return refused;
  const plan = await workspace.index.use((graph) => renamingFile(graph, from.res, target.value.res, also));
  // The file itself may contain relative paths.
  const own = plan.texts.get(from.res);
  const { bytes } = source.value;
  const moves: FileChange[] = [
    { path: target.value, content: own?.after ?? bytes, was: null },
    { path: from, content: null, was: own?.before ?? bytes },
  ];
  for (const extension of [".uid", ".import"]) {
    const extra = await project.readBytes(from.res + extension);
    const place = await project.resolve(target.value.res + extension);
    if (!extra.ok || !place.ok) continue;
    const text = extra.value.bytes.toString("utf8").replaceAll(`"${from.res}"`, `"${target.value.res}"`);
    moves.push({ path: place.value, content: text }, { path: extra.value.path, content: null });
  }
  return ok({ from: from.res, to: target.value.res, label: `rename ${from.res}`, plan, moves });
}

export function sameKind(from: ProjectPath, to: ProjectPath) {
  const ending = (place: ProjectPath) => /\.\w+$/.exec(place.res)?.[0] ?? "";
  if (ending(from) === ending(to)) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `The name must end in ${ending(from)} as ${from.res} does.`);
}
