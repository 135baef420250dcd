import { ok } from "@toolpact/outcome";
import { STEP, type Steps } from "../../../formats/document.ts";
import { type Block, rawField, setField, setTextField, textField } from "../../../formats/scene-text.ts";
import type { SceneEdit } from "../../../operations/scene-edit.ts";
import { checkName, freeName, isWithin, joined, nodeAt } from "../../../scene-model/scene-tree.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";
import { placeLines } from "./place.ts";

type Duplicate = Extract<SceneEdit, { kind: "duplicate" }>;

/** Copies a node with its children, overrides of instances, and connections that start inside, as its next sibling. */
export function* duplicateNode(editing: SceneEditing, edit: Duplicate): Steps<Edited<PendingChange>> {
  const found = editing.own(edit.node, "duplicated");
  if (!found.ok) return found;
  const node = found.value;
  const wanted = edit.name ?? node.name;
  const refused = checkName(wanted);
  if (refused !== undefined) return refused;
  const original = nodeAt(editing.root, node.path);
  const parent = original?.parent;
  if (original === undefined || parent === undefined) throw new Error("An own node has a parent.");

  const from = node.path;
  const name = freeName(parent, wanted);
  const to = joined(parent.path, name);
  const moved = (path: string) => (isWithin(path, from) ? `${to}${path.slice(from.length)}` : path);
  yield;
  yield* editing.readingIds();
  const lines = yield* editing.linesWithin(from);
  const copies: Block[] = [];
  for (const line of lines) {
    if (copies.length % STEP === 0) yield;
    const copy = copyOf(line);
    if (line === node.block) setTextField(copy, "name", name);
    else setTextField(copy, "parent", moved(textField(line, "parent") ?? "."));
    freshen(editing, copy);
    copies.push(copy);
  }
  yield;
  editing.scene.insertBlocks(lines.at(-1), copies);
  copyConnections(editing, from, moved);
  copyEditables(editing, from, moved);
  editing.changed();

  const [block] = copies;
  if (block === undefined) throw new Error("An own node has lines.");
  const index = parent.children.indexOf(original) + 1;
  yield* placeLines(editing, block, index);
  editing.label(edit.as, block);
  return ok({ kind: "duplicate", block, from, index, ...(node.type !== undefined && { type: node.type }) });
}

function copyOf({ heading, body }: Block): Block {
  // Comments and blank lines stay with the original.
  return { heading, body: body.filter((part) => part.kind === "assignment") };
}

/** Two nodes of one scene cannot share a unique name or an id. */
function freshen(editing: SceneEditing, copy: Block): void {
  editing.scene.unset(copy, "unique_name_in_owner");
  // An override is matched by the id of the overridden node.
  if (rawField(copy, "unique_id") === undefined || rawField(copy, "type") === undefined) return;
  const fresh = editing.uniqueId().split("=")[1];
  setField(copy, "unique_id", fresh);
}

function copyConnections(editing: SceneEditing, from: string, moved: (path: string) => string): void {
  const { scene } = editing;
  for (const block of scene.tagged("connection")) {
    const start = textField(block, "from") ?? "";
    if (!isWithin(start, from)) continue;
    const copy: Block = { heading: block.heading, body: [] };
    setTextField(copy, "from", moved(start));
    setTextField(copy, "to", moved(textField(block, "to") ?? ""));
    scene.insertBlock(scene.tagged("connection").at(-1), copy);
  }
}

function copyEditables(editing: SceneEditing, from: string, moved: (path: string) => string): void {
  const { scene } = editing;
  for (const block of scene.tagged("editable")) {
    const path = textField(block, "path") ?? "";
    if (!isWithin(path, from)) continue;
    const copy: Block = { heading: block.heading, body: [] };
    setTextField(copy, "path", moved(path));
    scene.insertBlock(scene.tagged("editable").at(-1), copy);
  }
}
