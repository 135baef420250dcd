import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { STEP, type Steps } from "../../../formats/document.ts";
import { type Block, setField, setTextField, textField } from "../../../formats/scene-text.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { keptTransform } from "../../../scene-model/global-transform.ts";
import { freeName, isWithin, joined, nodeAt, parentOf } from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { setProperties } from "../editing/set-properties.ts";
import { keepPaths } from "./keep-paths.ts";

type Move = Extract<SceneEdit, { kind: "move" }>;
type Reparent = Extract<SceneEdit, { kind: "reparent" }>;

export function* moveNode(editing: SceneEditing, edit: Move): Steps<Edited<PendingChange>> {
  const node = editing.own(edit.node, "moved");
  if (!node.ok) return node;
  const { block, parent } = node.value;
  const refused = checkIndex(edit.index, (parent?.children.length ?? 1) - 1);
  if (refused !== undefined) return refused;
  yield* placeLines(editing, block, edit.index);
  return ok({ kind: "move", block, index: edit.index });
}

/** Gives a node another parent. Its children follow, and references to them stay valid. */
export function* reparentNode(editing: SceneEditing, edit: Reparent): Steps<Edited<PendingChange>> {
  const found = editing.own(edit.node, "moved");
  if (!found.ok) return found;
  const node = found.value;
  const parent = editing.changeable(edit.parent);
  if (!parent.ok) return parent;
  if (isWithin(parent.value.path, node.path))
    return errors.fail("E_SCHEMA_VALIDATION", `"${node.path}" cannot be put into itself.`);
  const stays = parent.value.path === node.parent?.path;
  const last = parent.value.children.length - (stays ? 1 : 0);
  const refused = checkIndex(edit.index, last);
  if (refused !== undefined) return refused;

  const from = node.path;
  const original = nodeAt(editing.root, from);
  const name = freeName(parent.value, node.name, stays ? original : undefined);
  const to = joined(parent.value.path, name);
  const kept =
    original === undefined || edit.keepGlobalTransform === false || stays
      ? undefined
      : keptTransform(editing.world, original, parent.value);
  if (kept === "unknown")
    editing.warnings.push(
      `Whether "${from}" stays where it is could not be worked out from the files; its own transform was kept.`,
    );
  yield* keepPaths(editing, from, to);
  // The properties exist on every node of this kind, and the numbers fit.
  if (original !== undefined && typeof kept === "object")
    setProperties(editing.holderOf(original, editing.linesOf(original)), kept, editing.contextFor(original));
  setTextField(node.block, "name", name);
  setTextField(node.block, "parent", parent.value.path);
  setField(node.block, "index", undefined);
  yield* movePrefix(editing, from, to, node.block);
  yield* regroup(editing, to);
  yield* placeLines(editing, node.block, edit.index ?? last);
  return ok({ kind: "reparent", block: node.block, from, index: edit.index ?? last });
}

/** Rewrites paths below `from` as paths below `to`: of nodes, connections and editable instances. */
export function* movePrefix(editing: SceneEditing, from: string, to: string, except: Block): Steps<void> {
  const moved = (path: string) => (path === from ? to : `${to}${path.slice(from.length)}`);
  const fields: Readonly<Record<string, readonly string[]>> = {
    node: ["parent"],
    connection: ["from", "to"],
    editable: ["path"],
  };
  for (const [index, block] of editing.scene.blocks.entries()) {
    if (index % STEP === 0) yield;
    if (block === except) continue;
    for (const field of fields[block.heading.tag] ?? []) {
      const path = textField(block, field);
      if (path !== undefined && isWithin(path, from)) setTextField(block, field, moved(path));
    }
  }
}

/** Moves the lines of a node and its children together, after its parent's: parents come first in a file. */
function* regroup(editing: SceneEditing, path: string): Steps<void> {
  const lines = yield* editing.linesWithin(path);
  editing.scene.takeAll(new Set(lines));
  yield;
  editing.scene.insertBlocks(editing.lastLines(parentOf(path)), lines);
  editing.changed();
}

/** Moves the lines of a node to make it child `index` of its parent. */
export function* placeLines(editing: SceneEditing, block: Block, index: number | undefined): Steps<void> {
  yield* editing.resolving();
  const node = editing.nodeOf(block);
  const parent = node?.parent;
  if (node === undefined || parent === undefined) return;
  const wanted = index ?? parent.children.length - 1;
  if (parent.inherited || parent.instance !== undefined) {
    // Among nodes of another scene the order of lines has no meaning, so the heading holds the index.
    setTextField(block, "index", String(wanted));
  } else if (parent.children.indexOf(node) !== wanted) {
    const siblings = parent.children.filter((sibling) => sibling !== node);
    const lines = yield* editing.linesWithin(node.path);
    editing.scene.takeAll(new Set(lines));
    yield;
    const before = siblings[wanted - 1];
    editing.scene.insertBlocks(before === undefined ? parent.block : editing.lastLines(before.path), lines);
  }
  editing.changed();
}

export function checkIndex(index: number | undefined, last: number) {
  if (index === undefined || (Number.isInteger(index) && index >= 0 && index <= last)) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `"index" is a whole number from 0 to ${last}.`, {
    details: { last },
  });
}
