import { ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { cannotDo } from "../../../operations/driver.ts";
import type { SceneEdit, Tile } from "../../../operations/scene-edit.ts";
import type { SceneNode } from "../../../scene-model/scene-tree.ts";
import type { SceneWorld } from "../../../scene-model/scene-world.ts";
import { bytesOf, CELL_BYTES, cellOf, isErased, sourcesOf } from "../../../scene-model/undrawn-tiles.ts";
import type { Edited, PendingChange, SceneEditing } from "../editing/scene-editing.ts";

type Tiles = Extract<SceneEdit, { kind: "tiles" }>;

export function setTiles(editing: SceneEditing, edit: Tiles): Edited<PendingChange> {
  const found = editing.changeable(edit.node);
  if (!found.ok) return found;
  if (edit.terrain !== undefined)
    return cannotDo(
      "files",
      "Which tiles of a terrain fit together is worked out by Godot.",
      "Set GODOT_PATH to let the engine do it, or paint the tiles themselves.",
    );
  const { type, path, properties } = found.value;
  if (type !== undefined && !editing.world.classes.inherits(type, "TileMapLayer"))
    return errors.fail("E_SCHEMA_VALIDATION", `"${path}" is a ${type}; tiles go into a TileMapLayer.`);
  const data = bytesOf(properties.get("tile_map_data")?.text);
  if (data.length > 0 && data.readUInt16LE(0) !== 0)
    return errors.fail("E_UNSUPPORTED", `The tiles of "${path}" are stored in a format of a newer Godot.`);
  const cells = new Map<string, Buffer>();
  for (let at = 2; at + CELL_BYTES <= data.length; at += CELL_BYTES) {
    const cell = data.subarray(at, at + CELL_BYTES);
    cells.set(`${cell.readInt16LE(0)} ${cell.readInt16LE(2)}`, cell);
  }
  for (const tile of edit.cells) {
    const key = `${tile.x} ${tile.y}`;
    if (isErased(tile)) {
      cells.delete(key);
      continue;
    }
    const source = tile.source === undefined ? onlySource(editing.world, found.value, tile) : ok(tile.source);
    if (!source.ok) return source;
    cells.set(key, cellOf(tile, source.value));
  }
  const block = editing.linesOf(found.value);
  const all = Buffer.concat([Buffer.alloc(2), ...cells.values()]);
  if (cells.size === 0) editing.scene.unset(block, "tile_map_data");
  else editing.scene.set(block, "tile_map_data", `PackedByteArray("${all.toString("base64")}")`);
  editing.changed();
  return ok({ kind: "tiles", block });
}

/** The only atlas of the layer's TileSet, if it has the tile. */
function onlySource(world: SceneWorld, layer: SceneNode, { atlas = { x: 0, y: 0 } }: Tile): Edited<number> {
  const tile = `${atlas.x}, ${atlas.y}`;
  const sources = sourcesOf(world, layer);
  if (sources === undefined)
    return cannotDo(
      "files",
      `The TileSet of "${layer.path}" is not text, so tile ${tile} needs its source.`,
      "Name the source of each tile, or set GODOT_PATH to let the engine find it.",
    );
  if (sources === "none")
    return errors.fail("E_SCHEMA_VALIDATION", `"${layer.path}" has no TileSet with a tile ${tile}.`, {
      suggestedFix: "Set its tile_set first, or name the source of each tile.",
    });
  const [only, ...more] = sources;
  if (only === undefined || more.length > 0 || only[1] === undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `Tile ${tile} needs its source: the TileSet of "${layer.path}" has the sources ${[...sources.keys()].join(", ") || "(none)"}.`,
      { details: { sources: [...sources.keys()] }, suggestedFix: "Name the source of each tile." },
    );
  const [number, tiles] = only;
  return tiles.has(`${atlas.x}:${atlas.y}`)
    ? ok(number)
    : errors.fail("E_SCHEMA_VALIDATION", `Source ${number} of "${layer.path}" has no tile ${tile}.`, {
        details: { source: number, tiles: [...tiles].slice(0, 20) },
      });
}
