import { STEP, type Steps } from "../../formats/document.ts";
import type { SceneChange } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import type { NodeModel, SceneModel } from "../../scene-model/scene-model.ts";
import { isWithin, parentOf, propertyPath } from "../../scene-model/scene-tree.ts";
import { comparing, type SceneDifference, type Scope } from "./scene-difference.ts";

/** The parts of a scene that edits may change, from the edits and their results. */
export function scopeOf(edits: readonly SceneEdit[], changes: readonly SceneChange[]): Scope {
  const subtrees: string[] = [];
  const nodes: string[] = [];
  const parents: string[] = [];
  const setOnly = new Set<string>();
  const changedOtherwise = new Set<string>();
  const properties = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const change = changes[index];
    const places = [change?.node, change?.from, "node" in edit ? edit.node : undefined].filter(
      (place) => place !== undefined,
    );
    if (WHOLE_SUBTREES.has(edit.kind)) subtrees.push(...places.filter((place) => place !== "."));
    else nodes.push(...places);
    for (const place of places) (SETS_VALUES.has(edit.kind) ? setOnly : changedOtherwise).add(place);
    parents.push(...places.map(parentOf));
    if ("player" in edit) nodes.push(edit.player);
    for (const { name } of change?.properties ?? []) properties.add(propertyPath(name)[0] ?? name);
    if (edit.kind === "tiles") properties.add("tile_map_data");
    if (edit.kind === "group") properties.add("groups");
    if (edit.kind === "unique_name") properties.add("unique_name_in_owner");
    if (edit.kind === "connect" || edit.kind === "disconnect") nodes.push(edit.to);
  }
  return {
    subtrees,
    nodes,
    setOnly: [...setOnly].filter((node) => !changedOtherwise.has(node)),
    parents,
    properties,
    movesNodes: edits.some((edit) => edit.kind === "rename" || edit.kind === "reparent"),
    renamesRoot: edits.some((edit, index) => edit.kind === "rename" && changes[index]?.node === "."),
  };
}

const SETS_VALUES = new Set<SceneEdit["kind"]>(["set", "group", "unique_name", "connect", "disconnect"]);

const WHOLE_SUBTREES = new Set<SceneEdit["kind"]>([
  "add",
  "instance",
  "remove",
  "rename",
  "move",
  "duplicate",
  "reparent",
  "editable",
]);

/** A node that edits renamed, moved, reparented or copied, with its descendants. */
export interface MovedSubtree {
  readonly from: string;
  /** After all edits. */
  readonly to: string;
  readonly isCopy: boolean;
}

/** Without those that several edits of one batch moved: their original place is not known. */
export function movedSubtrees(
  edits: readonly SceneEdit[],
  changes: readonly SceneChange[],
): readonly MovedSubtree[] {
  const moved = edits.flatMap((edit, index): MovedSubtree[] => {
    const to = changes[index]?.node;
    if (to === undefined || !("node" in edit) || !MOVES.has(edit.kind)) return [];
    const from = changes[index]?.from ?? to;
    return from === "." || to === "." ? [] : [{ from, to, isCopy: edit.kind === "duplicate" }];
  });
  const others = edits.flatMap((edit, index) => {
    if (!MOVES.has(edit.kind) && !MAKES_OR_REMOVES.has(edit.kind)) return [];
    const { node, from } = changes[index] ?? {};
    return [{ index, places: [node, from].filter((place) => place !== undefined) }];
  });
  return moved.filter(({ from, to }) => {
    const touching = others.filter(({ places }) =>
      places.some((place) =>
        [from, to].some((path) => place !== "." && (isWithin(place, path) || isWithin(path, place))),
      ),
    );
    return touching.length <= 1;
  });
}

const MOVES = new Set<SceneEdit["kind"]>(["rename", "move", "reparent", "duplicate"]);
const MAKES_OR_REMOVES = new Set<SceneEdit["kind"]>(["add", "instance", "remove", "editable"]);

/** Compares the nodes of a moved subtree with their old state. */
export function* comparingMoved(
  { from, to, isCopy }: MovedSubtree,
  before: SceneModel,
  after: SceneModel,
): Steps<SceneDifference> {
  const was = yield* subtree(before, from, to);
  const difference = yield* comparing(was, yield* subtree(after, to, to));
  return {
    ...difference,
    added: [],
    changed: difference.changed.filter(
      // Two nodes of one scene cannot share a unique name.
      ({ node, what }) => !(node === to && what === "name") && !(isCopy && what === "unique_name_in_owner"),
    ),
  };
}

/** The parts of a moved subtree that may change; its top node's values too, as its position depends on the parent. */
export function scopeInMoved({ to }: MovedSubtree, scope: Scope): Scope {
  return { ...scope, nodes: [to, ...scope.nodes], subtrees: [], movesNodes: true };
}

/** The former path of a node in a moved subtree. */
export function originOf(path: string, moved: readonly MovedSubtree[]): string {
  const found = moved.find(({ to }) => isWithin(path, to));
  return found === undefined ? path : `${found.from}${path.slice(found.to.length)}`;
}

/** The nodes of a subtree, with their paths at another place. */
function* subtree(model: SceneModel, top: string, place: string): Steps<SceneModel> {
  const nodes = new Map<string, NodeModel>();
  let count = 0;
  for (const [path, node] of model.nodes) {
    if (count++ % STEP === 0) yield;
    if (isWithin(path, top)) nodes.set(`${place}${path.slice(top.length)}`, node);
  }
  const editable = [...model.editable].filter((path) => isWithin(path, top));
  return {
    ...model,
    nodes,
    connections: new Set(),
    editable: new Set(editable.map((path) => `${place}${path.slice(top.length)}`)),
  };
}
