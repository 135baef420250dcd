import type { SceneEdit, Tile } from "../operations/scene-edit.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { nodeAt, resolveTree, type SceneNode, walk } from "./scene-tree.ts";
import type { SceneWorld } from "./scene-world.ts";
import { loadScene } from "./scene-world.ts";
import { bytesOf, cellsOf } from "./tile-cells.ts";
import { sourcesOf } from "./tile-set-sources.ts";

/** Warnings of cells that were painted with a source or tile that is not in the TileSet: Godot does not draw them. */
export async function danglingTiles(
  project: Project,
  path: ProjectPath,
  painted: readonly Extract<SceneEdit, { kind: "tiles" }>[],
): Promise<string[]> {
  const loaded = await loadScene(project, path);
  if (!loaded.ok) return [];
  const { scene, world } = loaded.value;
  const tree = resolveTree(scene, world);
  if (tree === undefined) return [];
  const warnings: string[] = [];
  for (const { node, cells } of painted) {
    const layer = nodeAt(tree, node);
    const set = cells.filter((cell) => cell.source !== undefined);
    if (layer !== undefined && set.length > 0) warnings.push(...problemsOf(world, layer, set));
  }
  return warnings;
}

/** The same for everything that is painted in a scene. */
export function undrawnTiles(
  world: SceneWorld,
  tree: SceneNode,
): { readonly node: SceneNode; readonly message: string }[] {
  const found = [];
  for (const node of walk(tree)) {
    const data = node.inherited ? undefined : node.properties.get("tile_map_data")?.text;
    if (data === undefined) continue;
    for (const message of problemsOf(world, node, cellsOf(bytesOf(data)))) found.push({ node, message });
  }
  return found;
}

function problemsOf(world: SceneWorld, layer: SceneNode, cells: readonly Tile[]): string[] {
  const sources = sourcesOf(world, layer);
  if (sources === "none") return [`"${layer.path}" has no TileSet, so its cells are not drawn.`];
  if (sources === undefined) return [];
  const missing = new Map<string, number>();
  const note = (what: string) => missing.set(what, (missing.get(what) ?? 0) + 1);
  for (const { source = 0, atlas = { x: 0, y: 0 } } of cells) {
    const tiles = sources.get(source);
    if (!sources.has(source)) note(`name source ${source}, which its TileSet does not have`);
    else if (tiles !== undefined && !tiles.has(`${atlas.x}:${atlas.y}`))
      note(`name tile ${atlas.x}, ${atlas.y} of source ${source}, which is not there`);
  }
  const known = [...sources.keys()].join(", ") || "none";
  return [...missing].map(
    ([what, count]) =>
      `${count} ${count === 1 ? "cell" : "cells"} of "${layer.path}" ${what}; it has ${known}. Godot does not draw them.`,
  );
}
