import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { commitWith, type DriverContext } from "../../drivers/ask.ts";
import type { CommittedEdit } from "../../drivers/commit/commit-edit.ts";
import { errors, type Result } from "../../errors.ts";
import type { Mode } from "../../operations/driver.ts";
import { propertyChange } from "../../operations/results.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { mentionedPaths } from "../../scene-model/scene-world.ts";
import { resourceOf } from "../../scene-model/with-presets.ts";
import { list, text } from "../../shapes.ts";
import { editNotes, type ToolAnswer } from "../product.ts";
import { taken } from "../scene/create.ts";

export const resourceEdited = z.strictObject({
  path: text,
  changed: list(propertyChange),
  saved: z.literal(true),
});

export const resourceCreated = resourceEdited.extend({ type: text });

interface ResourceInput {
  readonly path: string;
  readonly properties: JsonObject;
  readonly mode?: Mode | undefined;
}

export async function createResource(
  context: DriverContext,
  input: ResourceInput & { readonly type: string; readonly overwrite?: boolean | undefined },
): Promise<ToolAnswer<z.input<typeof resourceCreated>>> {
  const place = await target(context, input);
  if (!place.ok) return place;
  const path = place.value;
  const { overwrite = false } = input;
  const whole = resourceOf(input.type, input.properties);
  if (!whole.ok) return whole;
  const { type, properties } = whole.value;
  const refused = await taken(context.project, path, overwrite);
  if (refused !== undefined) return refused;
  const params = { path: path.res, type, properties, overwrite };
  const made = await commitWith(context, input.mode, {
    operation: "resource.create",
    params,
    path,
    label: `new ${path.res}`,
  });
  if (!made.ok) return made;
  const { result } = made.value;
  return resourceAnswer(path, { type: result.type }, `Created ${path.res} (${result.type}).`, made.value);
}

export async function editResource(
  context: DriverContext,
  input: ResourceInput,
): Promise<ToolAnswer<z.input<typeof resourceEdited>>> {
  const place = await target(context, input);
  if (!place.ok) return place;
  const path = place.value;
  const whole = resourceOf("", input.properties);
  if (!whole.ok) return whole;
  const { properties } = whole.value;
  if (Object.keys(properties).length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", '"properties" is an object of names and values.');
  if (!(await context.project.exists(path.res)))
    return errors.fail("E_NOT_FOUND", `There is no file ${path.res}.`);
  const params = { path: path.res, properties };
  const edited = await commitWith(context, input.mode, {
    operation: "resource.edit",
    params,
    path,
    label: `edit ${path.res}`,
  });
  if (!edited.ok) return edited;
  const names = edited.value.result.changed.map((row) => row.name).join(", ");
  return resourceAnswer(path, {}, `Set ${names} of ${path.res}.`, edited.value);
}

async function target(
  { project }: DriverContext,
  { path, properties }: ResourceInput,
): Promise<Result<ProjectPath>> {
  for (const mentioned of mentionedPaths(properties)) {
    const inside = await project.resolve(mentioned);
    if (!inside.ok) return inside;
  }
  const place = await project.resolve(path);
  if (!place.ok || /\.t?res$/.test(place.value.res)) return place;
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${place.value.res} is not the name of a resource: it must end in .tres.`,
  );
}

function resourceAnswer<T extends object>(
  path: ProjectPath,
  more: T,
  summary: string,
  { driver, result, warnings }: CommittedEdit<"resource.create"> | CommittedEdit<"resource.edit">,
): ToolAnswer<z.input<typeof resourceEdited> & T> {
  return ok(
    { path: path.res, ...more, changed: result.changed, saved: true },
    { summary, ...editNotes("resource", path, { driver, warnings }) },
  );
}
