import { ok } from "@toolpact/outcome";
import { errors, unknownName } from "../../../errors.ts";
import type { Steps } from "../../../formats/document.ts";
import { quote, writeVariant } from "../../../formats/variant.ts";
import { abstractClass } from "../../../godot/class-table.ts";
import type { PropertyChange } from "../../../operations/results.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import {
  checkName,
  freeName,
  overlay,
  resolveTree,
  type SceneNode,
} from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { setProperties } from "../editing/set-properties.ts";
import { checkIndex, placeLines } from "./place.ts";
import { fitScript, nativeBase } from "./script.ts";
import { isGroupName, noGroupName } from "./set.ts";

type Add = Extract<SceneEdit, { kind: "add" }>;
type Instance = Extract<SceneEdit, { kind: "instance" }>;

/** Adds a node of a class, or of a project's `class_name`. */
export function* addNode(editing: SceneEditing, edit: Add): Steps<Edited<PendingChange>> {
  const made = classOf(editing, edit.type);
  if (!made.ok) return made;
  const script = edit.script ?? made.value.script;
  const parent = placeFor(editing, edit, edit.name ?? edit.type);
  if (!parent.ok) return parent;
  const reference = script === undefined ? undefined : fitScript(editing, made.value.type, script);
  if (reference !== undefined && !reference.ok) return reference;
  if (edit.groups?.some((group) => !isGroupName(group))) return noGroupName("groups");
  const groups = edit.groups?.length ? ` groups=[${edit.groups.map(quote).join(", ")}]` : "";
  const lines = {
    type: ` type=${quote(made.value.type)}`,
    after: groups,
    assignments: reference === undefined ? [] : [["script", writeVariant(reference.value)] as const],
  };
  const node = yield* put(editing, edit, parent.value, edit.name ?? edit.type, lines);
  return finished(editing, edit, node, edit.type);
}

/** Instances a scene in this one. */
export function* instanceScene(editing: SceneEditing, edit: Instance): Steps<Edited<PendingChange>> {
  const { world } = editing;
  const source = world.resource(edit.source);
  if (source === undefined)
    return errors.fail("E_NOT_FOUND", `There is no file ${edit.source}.`, { details: { path: edit.source } });
  if (source.type !== "PackedScene")
    return errors.fail("E_SCHEMA_VALIDATION", `${edit.source} is a ${source.type}, not a PackedScene.`);
  if (holds(editing, edit.source, new Set()))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${edit.source} holds ${editing.res}, so it cannot be put into it.`,
      { details: { cycle: [editing.res, edit.source] } },
    );
  const text = world.scene(edit.source);
  const root = text && resolveTree(text, world);
  const name = edit.name ?? root?.name ?? stem(edit.source);
  const parent = placeFor(editing, edit, name);
  if (!parent.ok) return parent;
  const reference = editing.resources.external(edit.source);
  if (!reference.ok) return reference;
  const after = ` instance=${writeVariant(reference.value)}`;
  const node = yield* put(editing, edit, parent.value, name, { type: "", after, assignments: [] });
  return finished(editing, edit, node, root?.type ?? "Node");
}

interface Placed {
  readonly parent?: string;
  readonly index?: number;
}

function placeFor(editing: SceneEditing, edit: Placed, name: string): Edited<SceneNode> {
  const parent = editing.changeable(edit.parent ?? ".");
  if (!parent.ok) return parent;
  return checkName(name) ?? checkIndex(edit.index, parent.value.children.length) ?? parent;
}

interface NewLines {
  /** A field of the heading, with the space before it. */
  readonly type: string;
  /** Fields after the others. */
  readonly after: string;
  readonly assignments: readonly (readonly [string, string])[];
}

function* put(
  editing: SceneEditing,
  edit: Placed,
  parent: SceneNode,
  wanted: string,
  { type, after, assignments }: NewLines,
): Steps<SceneNode> {
  yield* editing.readingIds();
  const name = quote(freeName(parent, wanted));
  yield;
  const block = editing.scene.insert(
    editing.lastLines(parent.path),
    `node name=${name}${type} parent=${quote(parent.path)}${editing.uniqueId()}${after}`,
    assignments,
  );
  // As the last child of one of this scene's own nodes it is in the right place already.
  if (edit.index === undefined && !parent.inherited && parent.instance === undefined)
    return editing.added(block, parent);
  editing.changed();
  yield* placeLines(editing, block, edit.index);
  yield* editing.resolving();
  const node = editing.nodeOf(block);
  if (node === undefined) throw new Error("A new node is not in the tree.");
  return node;
}

function finished(
  editing: SceneEditing,
  edit: Add | Instance,
  node: SceneNode,
  type: string,
): Edited<PendingChange> {
  const { block, parent } = node;
  if (block === undefined || parent === undefined) throw new Error("A new node has lines and a parent.");
  editing.label(edit.as, block);
  let properties: PropertyChange[] = [];
  if (edit.properties !== undefined) {
    const changes = setProperties(editing.holderOf(node, block), edit.properties, editing.contextFor(node));
    if (!changes.ok) return changes;
    properties = changes.value;
    overlay(node, block, editing.scene);
  }
  return ok({
    kind: edit.kind,
    block,
    type,
    ...(properties.length > 0 && { properties }),
    index: parent.children.indexOf(node),
  });
}

/** The engine class of a name, and the script if the name is a class of the project. */
function classOf(editing: SceneEditing, name: string): Edited<{ type: string; script?: string }> {
  const { classes } = editing.world;
  if (classes.has(name)) {
    if (!classes.inherits(name, "Node")) return errors.fail("E_SCHEMA_VALIDATION", `${name} is not a node.`);
    if (classes.canMake(name)) return ok({ type: name });
    return abstractClass(classes, name);
  }
  const script = editing.world.scriptOf(name);
  const base = script && nativeBase(editing, script);
  if (base !== undefined && script !== undefined) return ok({ type: base, script });
  return unknownName(
    "E_NOT_FOUND",
    `There is no class "${name.slice(0, 80)}" in Godot ${classes.version} or the project.`,
    name,
    classes.names,
  );
}

/** Whether a scene is the one being edited or contains it. */
function holds(editing: SceneEditing, source: string, seen: Set<string>): boolean {
  if (source === editing.res) return true;
  if (seen.has(source)) return false;
  seen.add(source);
  const scene = editing.world.scene(source);
  return (scene?.tagged("ext_resource") ?? []).some((block) => {
    const path = /path="([^"]*)"/.exec(block.heading.text)?.[1];
    return path?.endsWith(".tscn") && holds(editing, path, seen);
  });
}

function stem(res: string): string {
  return (
    res
      .split("/")
      .at(-1)
      ?.replace(/\.\w+$/, "") ?? "Node"
  );
}
