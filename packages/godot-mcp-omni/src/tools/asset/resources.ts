import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import { editedResource, newResource } from "../../drivers/files/resource-file.ts";
import { mentionedPaths } from "../../drivers/files/scene-world.ts";
import type { PropertyChange } from "../../drivers/scene-edit.ts";
import type { SceneWork } from "../../drivers/scene-target.ts";
import { errors, type GodotCode } from "../../errors.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { Mode } from "../../workspace/godots.ts";
import { type Answer, told } from "../answer.ts";
import { taken } from "../scene/create.ts";

interface ResourceInput {
  readonly path: string;
  readonly properties: JsonObject;
  readonly mode?: Mode | undefined;
}

export async function createResource(
  work: SceneWork,
  input: ResourceInput & { readonly type: string; readonly overwrite?: boolean | undefined },
): Promise<Answer> {
  const { project, godots, signal } = work;
  const place = await target(work, input);
  if (!place.ok) return place;
  const refused = await taken(project, place.value, input.overwrite);
  if (refused !== undefined) return refused;
  const way = await godots.way(input.mode, signal);
  if (!way.ok) return way;
  const { res } = place.value;
  return project.inTurn(res, async (): Promise<Answer> => {
    const { driver } = way.value;
    if (driver === undefined) {
      const made = await newResource(project, input.type, input.properties);
      if (!made.ok) return made;
      const { text: content, was } = made.value;
      const written = await project.change(`new ${res}`, [
        { path: place.value, content, was: input.overwrite ? undefined : was },
      ]);
      if (!written.ok) return written;
      return toldResource(place.value, input.type, made.value.changed, "files", made.value.warnings);
    }
    const denied = project.refusedWrite(place.value);
    if (denied !== undefined) return denied;
    const entry = await project.journal.begin(`new ${res}`, [res]);
    const params = {
      path: res,
      type: input.type,
      properties: input.properties,
      overwrite: input.overwrite ?? false,
    };
    const answer = await driver.request("resource.create", params, { signal });
    await entry.close();
    return answer.ok ? toldResource(place.value, answer.value.type, [], driver.mode, []) : answer;
  });
}

export async function editResource(work: SceneWork, input: ResourceInput): Promise<Answer> {
  const { project, godots, signal } = work;
  const place = await target(work, input);
  if (!place.ok) return place;
  if (Object.keys(input.properties).length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", '"properties" is an object of names and values.');
  const { res } = place.value;
  if (!(await project.exists(res))) return errors.fail("E_NOT_FOUND", `There is no file ${res}.`);
  const way = await godots.way(input.mode, signal);
  if (!way.ok) return way;
  return project.inTurn(res, async (): Promise<Answer> => {
    const { driver } = way.value;
    if (driver === undefined) {
      const edited = await editedResource(project, res, input.properties);
      if (!edited.ok) return edited;
      const { text: content, was } = edited.value;
      const written = await project.change(`edit ${res}`, [{ path: place.value, content, was }]);
      if (!written.ok) return written;
      return toldResource(place.value, undefined, edited.value.changed, "files", edited.value.warnings);
    }
    const denied = project.refusedWrite(place.value);
    if (denied !== undefined) return denied;
    const entry = await project.journal.begin(`edit ${res}`, [res]);
    const answer = await driver.request(
      "resource.edit",
      { path: res, properties: input.properties },
      { signal },
    );
    await entry.close();
    return answer.ok ? toldResource(place.value, undefined, answer.value.changed, driver.mode, []) : answer;
  });
}

async function target(
  { project }: SceneWork,
  { path, properties }: ResourceInput,
): Promise<Outcome<ProjectPath, Failure<GodotCode>>> {
  for (const mentioned of mentionedPaths(properties)) {
    const inside = await project.resolve(mentioned);
    if (!inside.ok) return inside;
  }
  const place = await project.resolve(path);
  if (!place.ok || /\.t?res$/.test(place.value.res)) return place;
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${place.value.res} is no name for a resource: it ends in .tres.`,
  );
}

function toldResource(
  path: ProjectPath,
  type: string | undefined,
  changed: readonly PropertyChange[],
  mode: Mode,
  warnings: readonly string[],
): Answer {
  const value = { path: path.res, ...(type !== undefined && { type }), changed, saved: true };
  return told(value, {
    summary:
      type === undefined
        ? `Set ${changed.map((row) => row.name).join(", ")} of ${path.res}.`
        : `Made ${path.res} (${type}).`,
    execution: { mode },
    files: [{ kind: "resource", pathAbs: path.absolute, resPath: path.res }],
    ...(warnings.length > 0 && { warnings }),
  });
}
