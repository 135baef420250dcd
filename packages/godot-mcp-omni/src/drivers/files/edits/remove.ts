import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { STEP, type Steps } from "../../../formats/document.ts";
import { type Block, setTextField, textField } from "../../../formats/scene-text.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { blockPath, checkName, freeName, isWithin, joined, nodeAt } from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { keepPaths } from "./keep-paths.ts";
import { movePrefix } from "./place.ts";

type Remove = Extract<SceneEdit, { kind: "remove" }>;
type Rename = Extract<SceneEdit, { kind: "rename" }>;

/** Removes a node, its descendants, and all their connections. */
export function* removeNode(editing: SceneEditing, edit: Remove): Steps<Edited<PendingChange>> {
  const found = editing.own(edit.node, "removed");
  if (!found.ok) return found;
  const { path, type, parent } = found.value;
  const index = parent?.children.findIndex((child) => child.path === path) ?? 0;
  const gone = new Set<Block>();
  for (const [at, block] of editing.scene.blocks.entries()) {
    if (at % STEP === 0) yield;
    if (placesOf(block).some((place) => place !== undefined && isWithin(place, path))) gone.add(block);
  }
  editing.scene.removeAll(gone);
  editing.changed();
  return ok({ kind: "remove", node: path, index, ...(type !== undefined && { type }) });
}

/** The paths of the nodes that lines of a scene refer to. */
function placesOf(block: Block): readonly (string | undefined)[] {
  switch (block.heading.tag) {
    case "node":
      return [blockPath(block)];
    case "connection":
      return [textField(block, "from"), textField(block, "to")];
    case "editable":
      return [textField(block, "path")];
    default:
      return [];
  }
}

export function* renameNode(editing: SceneEditing, edit: Rename): Steps<Edited<PendingChange>> {
  const found = editing.find(edit.node);
  if (!found.ok) return found;
  const refused = checkName(edit.name);
  if (found.value.parent === undefined) {
    if (refused !== undefined) return refused;
    const block = editing.linesOf(found.value);
    setTextField(block, "name", edit.name);
    editing.changed();
    return ok({ kind: "rename", block, from: "." });
  }
  const own = editing.own(edit.node, "renamed");
  if (!own.ok) return own;
  if (refused !== undefined) return refused;
  const node = own.value;
  const original = nodeAt(editing.root, node.path);
  const parent = found.value.parent;
  if (freeName(parent, edit.name, original) !== edit.name) {
    return errors.fail("E_SCHEMA_VALIDATION", `A sibling is called "${edit.name}" already.`, {
      details: { free: freeName(parent, edit.name, original) },
      suggestedFix: "Choose a name that is free.",
    });
  }
  const from = node.path;
  const to = joined(parent.path, edit.name);
  yield* keepPaths(editing, from, to);
  setTextField(node.block, "name", edit.name);
  yield* movePrefix(editing, from, to, node.block);
  editing.changed();
  return ok({ kind: "rename", block: node.block, from });
}
