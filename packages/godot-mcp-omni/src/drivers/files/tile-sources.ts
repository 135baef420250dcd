import { assignmentsOf, type Block, SceneText, textField } from "../../formats/scene-text.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { SceneEdit, Tile } from "../scene-edit.ts";
import { bytesOf, cellsOf } from "./edits/tiles.ts";
import { loadScene } from "./load-scene.ts";
import { nodeAt, resolveTree, type SceneNode, walk } from "./scene-tree.ts";
import { referencedPath } from "./scene-world.ts";

/** The tiles of a source; undefined where the text does not show them. */
type Source = ReadonlySet<string> | undefined;

/** Warnings of cells that were painted with a source or tile that is not in the TileSet: Godot does not draw them. */
export async function danglingTiles(
  project: Project,
  path: ProjectPath,
  painted: readonly Extract<SceneEdit, { kind: "tiles" }>[],
): Promise<string[]> {
  const loaded = await loadScene(project, path);
  const tree = loaded.ok ? resolveTree(loaded.value.scene, loaded.value.world) : undefined;
  if (tree === undefined) return [];
  const warnings: string[] = [];
  for (const { node, cells } of painted) {
    const layer = nodeAt(tree, node);
    const set = cells.filter((cell) => cell.source !== undefined);
    if (layer !== undefined && set.length > 0) warnings.push(...(await problemsOf(project, layer, set)));
  }
  return warnings;
}

/** The same for everything that is painted in a scene. */
export async function undrawnTiles(
  project: Project,
  tree: SceneNode,
): Promise<{ readonly node: SceneNode; readonly message: string }[]> {
  const found = [];
  for (const node of walk(tree)) {
    const data = node.inherited ? undefined : node.properties.get("tile_map_data")?.text;
    if (data === undefined) continue;
    for (const message of await problemsOf(project, node, cellsOf(bytesOf(data))))
      found.push({ node, message });
  }
  return found;
}

async function problemsOf(project: Project, layer: SceneNode, cells: readonly Tile[]): Promise<string[]> {
  const sources = await sourcesOf(project, layer);
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

/** The sources of a layer's TileSet by their numbers; undefined where the TileSet is not text. */
async function sourcesOf(
  project: Project,
  layer: SceneNode,
): Promise<ReadonlyMap<number, Source> | "none" | undefined> {
  const held = layer.properties.get("tile_set");
  if (held === undefined || held.text === "null") return "none";
  const path = referencedPath(held.file, held.text);
  const text = path === undefined ? undefined : await project.textOf(path);
  const parsed = text === undefined || !path?.endsWith(".tres") ? undefined : SceneText.parse(text);
  const file = path === undefined ? held.file : parsed?.ok ? parsed.value : undefined;
  const set = path === undefined ? subResource(held.file, held.text) : file?.tagged("resource")[0];
  if (file === undefined || set === undefined) return undefined;
  return new Map(
    assignmentsOf(set).flatMap(({ name, value }): [number, Source][] => {
      const number = /^sources\/(\d+)$/.exec(name)?.[1];
      return number === undefined ? [] : [[Number(number), tilesOf(subResource(file, value))]];
    }),
  );
}

function tilesOf(source: Block | undefined): Source {
  if (source === undefined || textField(source, "type") !== "TileSetAtlasSource") return undefined;
  return new Set(assignmentsOf(source).flatMap(({ name }) => /^(\d+:\d+)\/0$/.exec(name)?.[1] ?? []));
}

function subResource(file: SceneText, text: string): Block | undefined {
  const id = /^SubResource\(\s*"?([^")]*)"?\s*\)$/.exec(text)?.[1];
  return file.tagged("sub_resource").find((block) => textField(block, "id") === id);
}
