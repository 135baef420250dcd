import { assignmentsOf, type Block, type SceneText, textField } from "../formats/scene-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { SceneEdit, Tile } from "../operations/scene-edit.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import { nodeAt, resolveTree, type SceneNode, walk } from "./scene-tree.ts";
import { loadScene, referencedPath, type SceneWorld } from "./scene-world.ts";
import { base64Of } from "./variant-to-json.ts";

/** Warnings of cells painted with a source or tile that is not in the TileSet: Godot does not draw them. */
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

/** The same for all painted layers of a scene. */
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

/** A cell is x, y, source, atlas x, atlas y and alternative, 16 bits each, after a version of 16 bits. */
export const CELL_BYTES = 12;

/** True for a cell without a tile. */
export function isErased({ source, atlas, alternative }: Tile): boolean {
  return source === undefined && atlas === undefined && alternative === undefined;
}

export function cellOf({ x, y, atlas, alternative }: Tile, source: number): Buffer {
  const cell = Buffer.alloc(CELL_BYTES);
  cell.writeInt16LE(x, 0);
  cell.writeInt16LE(y, 2);
  cell.writeUInt16LE(source, 4);
  cell.writeUInt16LE(atlas?.x ?? 0, 6);
  cell.writeUInt16LE(atlas?.y ?? 0, 8);
  cell.writeUInt16LE(alternative ?? 0, 10);
  return cell;
}

/** Cells as a Tile each, without erased ones. */
export function cellsOf(data: Buffer): Tile[] {
  const cells: Tile[] = [];
  for (let at = 2; at + CELL_BYTES <= data.length; at += CELL_BYTES) {
    const [x, y] = [data.readInt16LE(at), data.readInt16LE(at + 2)];
    const [source = 0, atlasX = 0, atlasY = 0] = [4, 6, 8].map((offset) => data.readUInt16LE(at + offset));
    const alternative = data.readUInt16LE(at + 10);
    if (source !== ERASED)
      cells.push({ x, y, source, atlas: { x: atlasX, y: atlasY }, ...(alternative > 0 && { alternative }) });
  }
  return cells;
}

const ERASED = 0xffff;

export function bytesOf(text: string | undefined): Buffer {
  const parsed = text === undefined ? undefined : parseVariant(text);
  if (parsed === undefined || !parsed.ok || parsed.value.kind !== "call") return Buffer.alloc(0);
  return Buffer.from(base64Of(parsed.value.args), "base64");
}

/** The tiles of an atlas, as `x:y`. Undefined for another kind of source. */
type Source = ReadonlySet<string> | undefined;

/** The sources of a layer's TileSet by their numbers. Undefined if the TileSet is not text. */
export function sourcesOf(
  world: SceneWorld,
  layer: SceneNode,
): ReadonlyMap<number, Source> | "none" | undefined {
  const held = layer.properties.get("tile_set");
  if (held === undefined || held.text === "null") return "none";
  const path = referencedPath(held.file, held.text);
  const file = path === undefined ? held.file : world.resourceText(path);
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
  const id = /^SubResource\(\s*"?([^")\s]+)"?\s*\)$/.exec(text)?.[1];
  return file.tagged("sub_resource").find((block) => textField(block, "id") === id);
}
