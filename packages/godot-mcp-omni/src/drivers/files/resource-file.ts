import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result, unknownName } from "../../errors.ts";
import { finish } from "../../formats/document.ts";
import { assignmentsOf, type Block, SceneText, textField } from "../../formats/scene-text.ts";
import { quote } from "../../formats/variant.ts";
import { abstractClass, loadClassTable } from "../../godot/class-table.ts";
import { cannotDo } from "../../operations/driver.ts";
import type { Inspection, PropertyChange } from "../../operations/results.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { loadWorld, mentionedPaths, referencedPath } from "../../scene-model/scene-world.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";
import { countLoadSteps, pruningResources, SceneResources } from "./editing/scene-resources.ts";
import { setProperties } from "./editing/set-properties.ts";

/** Reads a `.tres` from its file. */
export async function readResource(project: Project, res: string): Promise<Result<Inspection>> {
  const read = await openResource(project, res);
  if (!read.ok) return read;
  const { scene, main, type, path } = read.value;
  const held = assignmentsOf(main);
  const known = (await loadClassTable()).properties(type);
  return ok({
    path: path.res,
    type,
    properties: Object.fromEntries(held.map(({ name, value }) => [name, jsonOfText(value, scene, true)])),
    defaults: [...known.keys()].filter((name) => !held.some((row) => row.name === name)).length,
  });
}

export interface ResourceText {
  readonly text: string;
  /** The old content of the file; null for a new one. */
  readonly was: string | null;
  readonly changed: readonly PropertyChange[];
  readonly warnings: readonly string[];
}

export async function newResource(
  project: Project,
  type: string,
  properties: JsonObject,
): Promise<Result<ResourceText>> {
  const classes = await loadClassTable();
  if (!classes.inherits(type, "Resource"))
    return unknownName(
      "E_NOT_FOUND",
      `There is no resource class "${type.slice(0, 80)}".`,
      type,
      classes.names,
    );
  if (!classes.canMake(type)) return abstractClass(classes, type);
  const scene = SceneText.empty(`gd_resource type=${quote(type)} format=3`);
  const main = scene.insert(scene.head, "resource");
  return filled(project, { scene, main, type, text: null }, properties);
}

export async function editedResource(
  project: Project,
  res: string,
  properties: JsonObject,
): Promise<Result<ResourceText>> {
  const read = await openResource(project, res);
  return read.ok ? filled(project, read.value, properties) : read;
}

interface OpenResource {
  readonly scene: SceneText;
  readonly main: Block;
  readonly type: string;
  readonly text: string | null;
}

async function filled(
  project: Project,
  { scene, main, type, text: was }: OpenResource,
  properties: JsonObject,
): Promise<Result<ResourceText>> {
  const before = finish(scene.cloning());
  const listed = scene.tagged("ext_resource").flatMap((block) => textField(block, "path") ?? []);
  const world = await loadWorld(project, [...mentionedPaths(properties), ...listed]);
  const warnings: string[] = [];
  const script = referencedPath(scene, assignmentsOf(main).find(({ name }) => name === "script")?.value);
  const changed = setProperties(
    { block: main, type, script, unknownScript: false, inherited: new Map() },
    properties,
    {
      scene,
      world,
      resources: new SceneResources(scene, world, Math.random),
      warn: (warning) => void warnings.push(warning),
      pathToNode: () => errors.fail("E_UNSUPPORTED", "A resource file cannot contain nodes."),
    },
  );
  if (!changed.ok) return changed;
  finish(pruningResources(scene, before));
  countLoadSteps(scene, before);
  return ok({ text: scene.write(), was, changed: changed.value, warnings });
}

async function openResource(
  project: Project,
  res: string,
): Promise<Result<OpenResource & { readonly path: ProjectPath }>> {
  const read = await project.readText(res);
  if (!read.ok) return read;
  const { path, text } = read.value;
  if (!path.res.endsWith(".tres"))
    return cannotDo(
      "files",
      `${path.res} is not a resource in text form (.tres).`,
      "Set GODOT_PATH to let the engine read it.",
    );
  const parsed = SceneText.parse(text);
  if (!parsed.ok) return parsed;
  const scene = parsed.value;
  const main = scene.tagged("resource")[0];
  if (main === undefined || scene.head === undefined)
    return errors.fail("E_UNSUPPORTED", `${path.res} has no [resource] section.`);
  return ok({ scene, main, type: textField(scene.head, "type") ?? "Resource", text, path });
}
