import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { loadWorldFor } from "../../drivers/files/load-scene.ts";
import { checkName } from "../../drivers/files/node-names.ts";
import { resolveTree } from "../../drivers/files/scene-tree.ts";
import type { SceneWork } from "../../drivers/scene-target.ts";
import { errors, type GodotCode, unknownName } from "../../errors.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { quote } from "../../formats/variant.ts";
import type { FileChange, Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { Mode } from "../../workspace/godots.ts";
import type { Answer } from "../answer.ts";

export interface NewScene {
  readonly scene?: string | undefined;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly inherits?: string | undefined;
  readonly overwrite?: boolean | undefined;
  readonly mode?: Mode | undefined;
}

/** A new scene file. One that is there is replaced only when asked for, and stays in the journal. */
export async function createScene({ project, godots, signal }: SceneWork, input: NewScene): Promise<Answer> {
  const { type, inherits } = input;
  if (input.scene === undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      "A new scene needs a file: add scene, such as res://level.tscn.",
    );
  if (type !== undefined && inherits !== undefined)
    return errors.fail("E_SCHEMA_VALIDATION", "An inherited scene has the root of its base: leave out type.");
  const path = await project.resolve(input.scene);
  if (!path.ok) return path;
  if (!path.value.res.endsWith(".tscn"))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${path.value.res} is no name for a scene: it must end in .tscn.`,
    );
  const name = input.name ?? stem(path.value.res);
  const refused = checkName(name) ?? (await taken(project, path.value, input.overwrite));
  if (refused !== undefined) return refused;
  const base = inherits === undefined ? undefined : await project.resolve(inherits);
  if (base !== undefined && !base.ok) return base;
  const way = await godots.way(input.mode, signal);
  if (!way.ok) return way;

  const { driver, mode, warnings } = way.value;
  return project.inTurn(path.value.res, async (): Promise<Answer> => {
    if (driver === undefined) {
      const was = input.overwrite ? undefined : null;
      const made = await byFiles(project, { path: path.value, was }, type ?? "Node2D", name, base?.value.res);
      return made.ok ? told(path.value, name, mode, made.value, undefined, warnings) : made;
    }
    const refused = project.refusedWrite(path.value);
    if (refused !== undefined) return refused;
    const entry = await project.journal.begin(`new ${path.value.res}`, [path.value.res]);
    const answer = await driver.request(
      "scene.create",
      {
        scene: path.value.res,
        rootName: name,
        ...(base === undefined ? { rootType: type ?? "Node2D" } : { inherits: base.value.res }),
        ...(input.overwrite !== undefined && { overwrite: input.overwrite }),
      },
      { signal },
    );
    await entry.close();
    if (!answer.ok) return answer;
    return told(path.value, name, mode, answer.value.root.type, driver.version, warnings);
  });
}

async function byFiles(
  project: Project,
  file: Omit<FileChange, "content">,
  type: string,
  name: string,
  base: string | undefined,
): Promise<Outcome<string, Failure<GodotCode>>> {
  const world = await loadWorldFor(project, base === undefined ? [] : [base]);
  const { classes } = world;
  if (base === undefined) {
    if (!classes.has(type))
      return unknownName(
        "E_NOT_FOUND",
        `There is no class "${type.slice(0, 80)}" in Godot ${classes.version}.`,
        type,
        classes.names,
      );
    if (!classes.inherits(type, "Node") || !classes.canMake(type))
      return errors.fail("E_SCHEMA_VALIDATION", `${type} cannot be the root of a scene.`);
    const text = `[gd_scene format=3]\n\n[node name=${quote(name)} type=${quote(type)}]\n`;
    const written = await project.change(`new ${file.path.res}`, [{ ...file, content: text }]);
    return written.ok ? ok(type) : written;
  }
  const known = world.resource(base);
  if (known?.type !== "PackedScene")
    return errors.fail("E_NOT_FOUND", `There is no scene ${base}.`, { details: { path: base } });
  const uid = known.uid === undefined ? "" : ` uid=${quote(known.uid)}`;
  const scene = SceneText.empty("gd_scene format=3");
  const resource = scene.insert(
    scene.head,
    `ext_resource type="PackedScene"${uid} path=${quote(base)} id="1_base"`,
  );
  scene.insert(resource, `node name=${quote(name)} instance=ExtResource("1_base")`);
  const written = await project.change(`new ${file.path.res}`, [{ ...file, content: scene.write() }]);
  if (!written.ok) return written;
  const baseScene = world.scene(base);
  return ok((baseScene && resolveTree(baseScene, world)?.type) ?? "Node");
}

export async function taken(project: Project, path: ProjectPath, overwrite: boolean | undefined) {
  if (overwrite || !(await project.exists(path.res))) return undefined;
  return errors.fail("E_PERMISSION_DENIED", `${path.res} is there already.`, {
    details: { gate: "overwrite", path: path.res },
    suggestedFix: "Choose another name, or set overwrite; the old content stays in the journal.",
    fixBy: "agent",
  });
}

function told(
  path: ProjectPath,
  root: string,
  mode: Mode,
  type: string,
  godot: string | undefined,
  warnings: readonly string[],
): Answer {
  return ok(
    { scene: path.res, root, type, saved: true },
    {
      summary: `Made ${path.res} with the root ${root} (${type}).`,
      execution: { mode, ...(godot !== undefined && { godot }) },
      files: [{ kind: "scene", pathAbs: path.absolute, resPath: path.res }],
      ...(warnings.length > 0 && { warnings }),
    },
  );
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
