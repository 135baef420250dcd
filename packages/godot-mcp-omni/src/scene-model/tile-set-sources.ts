import { assignmentsOf, type Block, type SceneText, textField } from "../formats/scene-text.ts";
import type { SceneNode } from "./scene-tree.ts";
import { referencedPath, type SceneWorld } from "./scene-world.ts";

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
  const id = /^SubResource\(\s*"?([^")]*)"?\s*\)$/.exec(text)?.[1];
  return file.tagged("sub_resource").find((block) => textField(block, "id") === id);
}
