import { propertyPath } from "../../formats/property-path.ts";
import type { SceneChange } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { parentOf } from "../../scene-model/node-paths.ts";
import type { Scope } from "./scene-difference.ts";

/** The parts of a scene that edits may change, from the edits and their results. */
export function scopeOf(edits: readonly SceneEdit[], changes: readonly SceneChange[]): Scope {
  const subtrees: string[] = [];
  const nodes: string[] = [];
  const properties = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const change = changes[index];
    const places = [change?.node, change?.from, "node" in edit ? edit.node : undefined].filter(
      (place) => place !== undefined,
    );
    if (WHOLE_SUBTREES.has(edit.kind)) subtrees.push(...places.filter((place) => place !== "."));
    else nodes.push(...places);
    // The order of the children shows at the parent.
    nodes.push(...places.map(parentOf));
    for (const { name } of change?.properties ?? []) properties.add(propertyPath(name)[0] ?? name);
    if (edit.kind === "tiles") properties.add("tile_map_data");
    if (edit.kind === "group") properties.add("groups");
    if (edit.kind === "unique_name") properties.add("unique_name_in_owner");
    if (edit.kind === "connect" || edit.kind === "disconnect") nodes.push(edit.to);
  }
  return {
    subtrees,
    nodes,
    properties,
    movesNodes: edits.some((edit) => edit.kind === "rename" || edit.kind === "reparent"),
    renamesRoot: edits.some((edit, index) => edit.kind === "rename" && changes[index]?.node === "."),
  };
}

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
