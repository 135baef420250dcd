import type { JsonObject, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result, unknownName } from "../../errors.ts";
import { inSlices, type Steps } from "../../formats/document.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { quote } from "../../formats/variant.ts";
import { type ClassTable, loadClassTable } from "../../godot/class-table.ts";
import { cannotDo, type WrittenEdit } from "../../operations/driver.ts";
import type { EditOperation, ParamsOf, ResultOf } from "../../operations/operations.ts";
import type { SceneChange } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { readInputMap } from "../../scene-model/input-map.ts";
import { blockPath, resolveTree } from "../../scene-model/scene-tree.ts";
import { loadScene, loadWorld, type SceneWorld } from "../../scene-model/scene-world.ts";
import { type Edited, noRoot, type PendingChange, SceneEditing } from "./editing/scene-editing.ts";
import { countLoadSteps, pruningResources } from "./editing/scene-resources.ts";
import { addNode, instanceScene } from "./edits/add.ts";
import { writeAnimation } from "./edits/animate.ts";
import { connectSignal, disconnectSignal } from "./edits/connect.ts";
import { duplicateNode } from "./edits/duplicate.ts";
import { moveNode, reparentNode } from "./edits/place.ts";
import { removeNode, renameNode } from "./edits/remove.ts";
import { attachScript } from "./edits/script.ts";
import { setEditable, setGroup, setNode, setUniqueName } from "./edits/set.ts";
import { setTiles } from "./edits/tiles.ts";
import { editedResource, newResource } from "./resource-file.ts";
import { setInputActions } from "./set-input-map.ts";
import { changeSettings } from "./set-settings.ts";

type Prepared<O extends EditOperation> = Promise<Result<WrittenEdit<ResultOf<O>>>>;

const NEEDS_EDITOR = "Open the project in the editor with the bridge addon on.";

/** Computes the new text of the file for each edit. */
export const PREPARE: {
  readonly [O in EditOperation]: (project: Project, params: ParamsOf<O>) => Prepared<O>;
} = {
  async "scene.edit"(project, { scene = "", edits }) {
    const path = await project.resolve(scene);
    if (!path.ok) return path;
    // Edits are JSON validated by a schema.
    const loaded = await loadScene(project, path.value, edits as unknown as JsonObject);
    if (!loaded.ok) return loaded;
    const { scene: was, text, world } = loaded.value;
    const edited = await inSlices(editingScene(path.value.res, was, edits, world, Math.random));
    if (!edited.ok) return edited;
    const { changes, warnings } = edited.value;
    const change = { path: path.value, content: await inSlices(edited.value.scene.writing()), was: text };
    const result = { scene: path.value.res, changes, saved: true };
    return ok({ kind: "written", change, scene: was, result, warnings });
  },

  "scene.save": async () => cannotDo("files", "A file has no unsaved changes.", NEEDS_EDITOR),
  "scene.undo": async () =>
    cannotDo("files", "The journal undoes what was done without an editor.", NEEDS_EDITOR),
  "scene.redo": async () =>
    cannotDo("files", "The journal redoes what was done without an editor.", NEEDS_EDITOR),

  async "scene.create"(project, params) {
    const path = await project.resolve(params.scene);
    if (!path.ok) return path;
    const made = await newScene(project, params);
    if (!made.ok) return made;
    const { text, root } = made.value;
    return written(path.value, text, params.overwrite ? undefined : null, [], {
      scene: path.value.res,
      root,
      overwritten: await project.exists(path.value.res),
    });
  },

  async "resource.create"(project, { path: given, type, properties = {}, overwrite }) {
    const path = await project.resolve(given);
    if (!path.ok) return path;
    if (path.value.res.endsWith(".res"))
      return cannotDo(
        "files",
        `${path.value.res} is a binary resource, which only Godot writes.`,
        "Use a path that ends in .tres, or set GODOT_PATH.",
      );
    const made = await newResource(project, type, properties);
    if (!made.ok) return made;
    const { text, changed, warnings } = made.value;
    return written(path.value, text, overwrite ? undefined : null, warnings, {
      path: path.value.res,
      type,
      overwritten: await project.exists(path.value.res),
      changed,
    });
  },

  async "resource.edit"(project, { path: given, properties }) {
    const path = await project.resolve(given);
    if (!path.ok) return path;
    const edited = await editedResource(project, path.value.res, properties);
    if (!edited.ok) return edited;
    const { text, was, changed, warnings } = edited.value;
    return written(path.value, text, was, warnings, { path: path.value.res, changed });
  },

  async "settings.set"(project, { settings }) {
    const opened = await openSettings(project);
    if (!opened.ok) return opened;
    const { path, text, was, classes } = opened.value;
    const changed = changeSettings(text, settings, classes);
    return changed.ok ? written(path, text.write(), was, [], { changed: changed.value }) : changed;
  },

  async "input_map.set"(project, { actions = [], remove = [] }) {
    const opened = await openSettings(project);
    if (!opened.ok) return opened;
    const { path, text, was, classes } = opened.value;
    const set = setInputActions(text, actions, remove, classes.keys);
    if (!set.ok) return set;
    const names = new Set([...actions.map((action) => action.name), ...remove]);
    const now = readInputMap(text, classes.keys).filter((action) => names.has(action.name));
    return written(path, text.write(), was, [], { actions: now, removed: remove });
  },
};

function written<Value>(
  path: ProjectPath,
  content: string,
  was: string | null | undefined,
  warnings: readonly string[],
  result: Value,
): Outcome<WrittenEdit<Value>, never> {
  return ok({ kind: "written", change: { path, content, was }, result, warnings });
}

async function newScene(
  project: Project,
  { rootType = "Node2D", rootName = "Root", inherits }: ParamsOf<"scene.create">,
): Promise<Result<{ readonly text: string; readonly root: ResultOf<"scene.create">["root"] }>> {
  const world = await loadWorld(project, inherits === undefined ? [] : [inherits]);
  const { classes } = world;
  if (inherits === undefined) {
    if (!classes.has(rootType))
      return unknownName(
        "E_NOT_FOUND",
        `There is no class "${rootType.slice(0, 80)}" in Godot ${classes.version}.`,
        rootType,
        classes.names,
      );
    if (!classes.inherits(rootType, "Node") || !classes.canMake(rootType))
      return errors.fail("E_SCHEMA_VALIDATION", `${rootType} cannot be the root of a scene.`);
    const text = `[gd_scene format=3]\n\n[node name=${quote(rootName)} type=${quote(rootType)}]\n`;
    return ok({ text, root: { name: rootName, type: rootType } });
  }
  const base = world.resource(inherits);
  if (base?.type !== "PackedScene")
    return errors.fail("E_NOT_FOUND", `There is no scene ${inherits}.`, { details: { path: inherits } });
  const uid = base.uid === undefined ? "" : ` uid=${quote(base.uid)}`;
  const scene = SceneText.empty("gd_scene format=3");
  const resource = scene.insert(
    scene.head,
    `ext_resource type="PackedScene"${uid} path=${quote(inherits)} id="1_base"`,
  );
  scene.insert(resource, `node name=${quote(rootName)} instance=ExtResource("1_base")`);
  const baseScene = world.scene(inherits);
  const type = (baseScene && resolveTree(baseScene, world)?.type) ?? "Node";
  return ok({ text: scene.write(), root: { name: rootName, type, inherited: true } });
}

interface OpenSettings {
  readonly path: ProjectPath;
  readonly was: string;
  readonly text: SettingsText;
  readonly classes: ClassTable;
}

export async function openSettings(project: Project): Promise<Result<OpenSettings>> {
  const read = await project.readText("res://project.godot");
  if (!read.ok) return read;
  const text = SettingsText.parse(read.value.text);
  if (!text.ok) return text;
  const { path, text: was } = read.value;
  return ok({ path, was, text: text.value, classes: await loadClassTable() });
}

interface EditedScene {
  readonly scene: SceneText;
  readonly changes: readonly SceneChange[];
  readonly warnings: readonly string[];
}

/** Applies all edits or none to a copy of the text, as the engine would, in steps. */
export function* editingScene(
  res: string,
  before: SceneText,
  edits: readonly SceneEdit[],
  world: SceneWorld,
  random: () => number,
): Steps<Edited<EditedScene>> {
  const scene = yield* before.cloning();
  const editing = new SceneEditing(res, scene, world, random);
  if (!(yield* editing.resolving())) return noRoot(res);
  const drafts: PendingChange[] = [];
  for (const [index, edit] of edits.entries()) {
    yield;
    yield* editing.resolving();
    const draft = yield* apply(editing, edit);
    if (!draft.ok) {
      const place = edits.length > 1 ? `Edit ${index + 1}: ` : "";
      return {
        ok: false,
        failure: {
          ...draft.failure,
          message: `${place}${draft.failure.message}`,
          details: { ...draft.failure.details, edit: index },
        },
      };
    }
    drafts.push(draft.value);
  }
  if (edits.some(({ kind }) => DROPS_REFERENCES.has(kind))) yield* pruningResources(scene, before);
  countLoadSteps(scene, before);
  const changes = drafts.map(({ block, node, ...change }) => ({
    ...change,
    node: block === undefined ? node : blockPath(block),
  }));
  return ok({ scene, changes, warnings: editing.warnings });
}

/** Other edits keep all resource references. */
const DROPS_REFERENCES = new Set<SceneEdit["kind"]>(["remove", "set", "script", "editable", "animate"]);

function* apply(editing: SceneEditing, edit: SceneEdit): Steps<Edited<PendingChange>> {
  switch (edit.kind) {
    case "add":
      return yield* addNode(editing, edit);
    case "instance":
      return yield* instanceScene(editing, edit);
    case "remove":
      return yield* removeNode(editing, edit);
    case "rename":
      return yield* renameNode(editing, edit);
    case "move":
      return yield* moveNode(editing, edit);
    case "duplicate":
      return yield* duplicateNode(editing, edit);
    case "reparent":
      return yield* reparentNode(editing, edit);
    case "set":
      return setNode(editing, edit);
    case "script":
      return attachScript(editing, edit);
    case "group":
      return setGroup(editing, edit);
    case "unique_name":
      return setUniqueName(editing, edit);
    case "editable":
      return setEditable(editing, edit);
    case "connect":
      return connectSignal(editing, edit);
    case "disconnect":
      return disconnectSignal(editing, edit);
    case "tiles":
      return setTiles(editing, edit);
    case "animation":
      return cannotDo("files", "Writing animations needs Godot.", "Set GODOT_PATH to let the engine do it.");
    case "animate":
      return writeAnimation(editing, edit);
    case "bake":
      return cannotDo("files", "Baking navigation needs Godot.", "Set GODOT_PATH to let the engine do it.");
  }
}
