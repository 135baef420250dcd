import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { setField, textField } from "../../../formats/scene-text.ts";
import { quote } from "../../../formats/variant.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import {
  blockPath,
  groupsIn,
  isOverride,
  isUnique,
  isWithin,
  nodeAt,
  parentOf,
  visible,
} from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { setProperties } from "../editing/set-properties.ts";

type Edit<Kind extends SceneEdit["kind"]> = Extract<SceneEdit, { kind: Kind }>;

export function setNode(editing: SceneEditing, edit: Edit<"set">): Edited<PendingChange> {
  const found = editing.changeable(edit.node);
  if (!found.ok) return found;
  if (Object.keys(edit.properties).length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", '"properties" is an object of names and values.');
  const block = editing.linesOf(found.value);
  const node = nodeAt(editing.root, found.value.path) ?? found.value;
  const properties = setProperties(editing.holderOf(node, block), edit.properties, editing.contextFor(node));
  if (!properties.ok) return properties;
  editing.changed();
  editing.dropEmpty(block);
  return ok({ kind: "set", block, properties: properties.value });
}

export function setGroup(editing: SceneEditing, edit: Edit<"group">): Edited<PendingChange> {
  const found = editing.changeable(edit.node);
  if (!found.ok) return found;
  if (!isGroupName(edit.group)) return noGroupName("group");
  const node = found.value;
  const block = editing.linesOf(node);
  const own = groupsIn(block);
  if (!edit.member && node.inheritedGroups.includes(edit.group))
    return errors.fail(
      "E_UNSUPPORTED",
      `"${node.path}" is in "${edit.group}" through the scene it comes from.`,
      {
        suggestedFix: "Take it out of the group in that scene.",
      },
    );
  if (node.groups.includes(edit.group) !== edit.member) {
    const groups = edit.member ? [...own, edit.group] : own.filter((group) => group !== edit.group);
    setField(block, "groups", groups.length === 0 ? undefined : `[${groups.map(quote).join(", ")}]`);
  }
  editing.changed();
  editing.dropEmpty(block);
  return ok({ kind: "group", block });
}

/** Groups that begin with an underscore are internal to Godot. */
export function isGroupName(group: string): boolean {
  return group !== "" && !group.startsWith("_");
}

export function noGroupName(parameter: string) {
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `"${parameter}" takes names that do not begin with an underscore.`,
  );
}

export function setUniqueName(editing: SceneEditing, edit: Edit<"unique_name">): Edited<PendingChange> {
  const found = editing.own(edit.node, "given a unique name");
  if (!found.ok) return found;
  const node = found.value;
  for (const other of edit.unique ? visible(editing.root) : [])
    if (other.path !== node.path && other.name === node.name && isUnique(other) && !other.inherited)
      return errors.fail("E_SCHEMA_VALIDATION", `%${node.name} is taken by "${other.path}".`);
  if (edit.unique) editing.scene.set(node.block, "unique_name_in_owner", "true");
  else editing.scene.unset(node.block, "unique_name_in_owner");
  editing.changed();
  return ok({ kind: "unique_name", block: node.block });
}

export function setEditable(editing: SceneEditing, edit: Edit<"editable">): Edited<PendingChange> {
  const found = editing.changeable(edit.node);
  if (!found.ok) return found;
  const { instance, path, parent, block, inheritedEditable } = found.value;
  if (instance === undefined || parent === undefined)
    return errors.fail("E_SCHEMA_VALIDATION", `"${path}" is not an instance of a scene.`);
  if (!edit.editable && inheritedEditable)
    return errors.fail(
      "E_UNSUPPORTED",
      `The children of "${path}" are editable through the scene it comes from.`,
      { suggestedFix: "Set it in that scene." },
    );
  const inside = edit.editable ? [] : ownInside(editing, path);
  if (inside.length > 0)
    return errors.fail(
      "E_UNSUPPORTED",
      `This scene put ${inside.map((node) => `"${node}"`).join(", ")} into "${path}", and without editable children nothing could reach them.`,
      {
        details: { nodes: inside },
        suggestedFix: "Remove these nodes first, or move them elsewhere.",
        fixBy: "agent",
      },
    );
  const { scene } = editing;
  const marked = scene.tagged("editable").find((line) => textField(line, "path") === path);
  if (edit.editable && marked === undefined)
    scene.insert(scene.tagged("editable").at(-1) ?? scene.blocks.at(-1), `editable path=${quote(path)}`);
  if (!edit.editable && marked !== undefined) {
    scene.remove(marked);
    // Godot does not save changes inside an instance whose children are not editable.
    for (const line of scene.tagged("node"))
      if (isOverride(line) && blockPath(line) !== path && isWithin(blockPath(line), path)) scene.remove(line);
  }
  editing.changed();
  return ok({ kind: "editable", ...(block === undefined ? { node: path } : { block }) });
}

/** Nodes of this scene whose parent belongs to the instance. */
function ownInside(editing: SceneEditing, instance: string): string[] {
  const lines = editing.scene.tagged("node");
  const own = new Set(lines.filter((line) => !isOverride(line)).map(blockPath));
  return [...own].filter((node) => {
    const parent = parentOf(node);
    return parent !== instance && isWithin(parent, instance) && !own.has(parent);
  });
}
