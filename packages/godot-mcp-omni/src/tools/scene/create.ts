import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { commitWith, type DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import type { Mode } from "../../operations/driver.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { checkName } from "../../scene-model/scene-tree.ts";
import { text } from "../../shapes.ts";
import { editNotes, type ToolAnswer } from "../product.ts";

export interface NewScene {
  readonly scene?: string | undefined;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly inherits?: string | undefined;
  readonly overwrite?: boolean | undefined;
  readonly mode?: Mode | undefined;
}

export const sceneCreated = z.strictObject({ scene: text, root: text, type: text, saved: z.literal(true) });

/** Creates a scene file. An existing one is replaced only on request, and kept in the journal. */
export async function createScene(
  context: DriverContext,
  input: NewScene,
): Promise<ToolAnswer<z.infer<typeof sceneCreated>>> {
  const { project } = context;
  const { type, inherits, overwrite } = input;
  if (input.scene === undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      "A new scene needs a file: add scene, such as res://level.tscn.",
    );
  if (type !== undefined && inherits !== undefined)
    return errors.fail("E_SCHEMA_VALIDATION", "An inherited scene has the root of its base: leave out type.");
  const place = await project.resolve(input.scene);
  if (!place.ok) return place;
  const path = place.value;
  if (!path.res.endsWith(".tscn"))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${path.res} is not the name of a scene: it must end in .tscn.`,
    );
  const rootName = input.name ?? stem(path.res);
  const refused = checkName(rootName) ?? (await taken(project, path, overwrite));
  if (refused !== undefined) return refused;
  const base = inherits === undefined ? undefined : await project.resolve(inherits);
  if (base !== undefined && !base.ok) return base;
  const params = {
    scene: path.res,
    rootName,
    ...(base === undefined ? { rootType: type ?? "Node2D" } : { inherits: base.value.res }),
    ...(overwrite !== undefined && { overwrite }),
  };
  const edit = { operation: "scene.create" as const, params, path, label: `new ${path.res}` };
  const made = await commitWith(context, input.mode, edit);
  if (!made.ok) return made;
  const { result, driver, warnings } = made.value;
  return ok(
    { scene: path.res, root: rootName, type: result.root.type, saved: true },
    {
      summary: `Created ${path.res} with the root ${rootName} (${result.root.type}).`,
      ...editNotes("scene", path, { driver, warnings }),
    },
  );
}

export async function taken(project: Project, path: ProjectPath, overwrite: boolean | undefined) {
  if (overwrite || !(await project.exists(path.res))) return undefined;
  return errors.fail("E_PERMISSION_DENIED", `${path.res} already exists.`, {
    details: { gate: "overwrite", path: path.res },
    suggestedFix: "Choose another name, or set overwrite; the old content stays in the journal.",
    fixBy: "agent",
  });
}

function stem(res: string): string {
  const file =
    res
      .split("/")
      .at(-1)
      ?.replace(/\.\w+$/, "") ?? "Root";
  const words = file.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("") || "Root";
}
