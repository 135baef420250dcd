import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext, SceneRequest } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import type { sceneEdited } from "../../operations/results.ts";
import type { SceneEdit, Tile } from "../../operations/scene-edit.ts";
import { cellsOf } from "../../scene-model/undrawn-tiles.ts";
import { count as amount, jsonObject, list, text } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import { inspect } from "../inspector/inspect.ts";
import * as p from "../params.ts";
import { count, type ToolAnswer } from "../product.ts";
import {
  type Cells,
  type Content,
  itemOf,
  keyOf,
  placeOf,
  type Region,
  region,
  signOf,
  stroke,
  strokeCells,
  tileOf,
  usedRegion,
} from "./cells.ts";

const place = { scene: p.scene, mode: p.mode };

export const readInput = z.strictObject({
  ...place,
  node: p.node,
  region: p.anyObject
    .optional()
    .describe("{x, y, width, height}, in a GridMap also z and depth; default: all that is used"),
});

const area = z.strictObject({
  x: z.int(),
  y: z.int(),
  width: amount,
  height: amount,
  z: z.int().exactOptional(),
  depth: amount.exactOptional(),
});

export const cellsRead = z.strictObject({
  node: text,
  type: text,
  /** Null if all cells are empty. */
  used: area.nullable(),
  region: area.nullable(),
  legend: jsonObject,
  rows: list(text).exactOptional(),
  floors: list(z.strictObject({ y: z.int(), rows: list(text) })).exactOptional(),
});

export const paintInput = z.strictObject({
  ...place,
  node: p.node,
  strokes: z
    .array(p.anyObject)
    .describe(
      'Done in order. Each has one of: rect {x, y, width, height} (with hollow: its edge alone), cells [[x, y]], flood {x, y} (with within: a region), rows ["ab."] at {x, y} with legend {"a": tile}, copy region at {x, y}. And tile {source, atlas: [x, y], alternative}, null to erase, or terrain {set, terrain}. In a GridMap: with z and depth, tile {item, orientation}, floors [{y, rows}]',
    ),
});

/** The grid of a node, and its storage format. */
interface Grid {
  readonly type: "TileMapLayer" | "GridMap";
  readonly cells: Cells;
}

/** The maximum number of cells that an answer draws. */
const MAX_DRAWN = 6_000;

export async function readCells(
  context: DriverContext,
  input: z.infer<typeof readInput>,
): Promise<ToolAnswer<z.input<typeof cellsRead>>> {
  const asked = p.checked("region", region.optional(), input.region);
  if (!asked.ok) return asked;
  const read = await gridOf(context, input);
  if (!read.ok) return read;
  const { type, cells } = read.value;
  const used = usedRegion(cells) ?? null;
  const drawn = asked.value ?? used;
  const size = drawn === null ? 0 : drawn.width * drawn.height * drawn.depth;
  if (size > MAX_DRAWN)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${size} cells are more than an answer holds (${MAX_DRAWN}). Name a smaller region.`,
      { details: { used: areaOf(used, type) }, suggestedFix: "Add region with x, y, width and height." },
    );
  const drawing = drawn === null ? { legend: {}, rows: [] } : draw(cells, drawn, type);
  return ok(
    { node: input.node, type, used: areaOf(used, type), region: areaOf(drawn, type), ...drawing },
    { ...read.notes, summary: `${count(cells.size, "cell")} of ${input.node} in use.` },
  );
}

function areaOf(given: Region | null, type: Grid["type"]): z.infer<typeof area> | null {
  if (given === null || type === "GridMap") return given;
  const { z: _, depth: __, ...flat } = given;
  return flat;
}

function draw(cells: Cells, { x, y, z, width, height, depth }: Region, type: Grid["type"]) {
  const signs = new Map<string, string>();
  const line = (at: (column: number) => string): string =>
    Array.from({ length: width }, (_, column) => {
      const value = cells.get(at(column));
      if (value === undefined) return ".";
      const sign = signs.get(value) ?? signOf(signs.size);
      signs.set(value, sign);
      return sign;
    }).join("");
  const lines = (length: number, at: (column: number, row: number) => string) =>
    Array.from({ length }, (_, row) => line((column) => at(column, row)));
  const body =
    type === "TileMapLayer"
      ? { rows: lines(height, (column, row) => keyOf({ x: x + column, y: y + row, z: 0 })) }
      : {
          floors: Array.from({ length: height }, (_, floor) => ({
            y: y + floor,
            rows: lines(depth, (column, row) => keyOf({ x: x + column, y: y + floor, z: z + row })),
          })),
        };
  const legend = Object.fromEntries([...signs].map(([value, sign]) => [sign, JSON.parse(value) as Json]));
  return { legend, ...body };
}

export async function paintCells(
  context: DriverContext,
  input: z.infer<typeof paintInput>,
): Promise<ToolAnswer<z.infer<typeof sceneEdited>>> {
  const strokes = p.checkedItems("strokes", stroke, input.strokes);
  if (!strokes.ok) return strokes;
  const read = await gridOf(context, input);
  if (!read.ok) return read;
  const { type, cells } = read.value;
  const now: Cells = new Map(cells);
  const terrains: SceneEdit[] = [];
  for (const [index, given] of strokes.value.entries()) {
    const { terrain } = given;
    if (terrain === undefined && terrains.length > 0)
      return at(index, "strokes with a terrain come last: Godot decides their tiles.");
    if (terrain !== undefined && type === "GridMap") return at(index, "a GridMap has no terrains.");
    const painted = strokeCells(given, now, type === "GridMap" ? itemText : tileText);
    if (!painted.ok) return at(index, painted.failure.message);
    const outside = [...painted.value.keys()].find((key) => isTooFar(key, type));
    if (outside !== undefined)
      return at(
        index,
        `the cell at ${outside} is outside of what Godot stores (-32768 to 32767; a tile map has no z).`,
      );
    if (terrain !== undefined) {
      const places = [...painted.value.keys()].map(placeOf).map(({ x, y }) => ({ x, y }));
      terrains.push({ kind: "tiles", node: input.node, cells: places, terrain });
      continue;
    }
    for (const [key, value] of painted.value)
      if (value === null) now.delete(key);
      else now.set(key, value);
  }
  const changed = [...new Set([...cells.keys(), ...now.keys()])].filter(
    (key) => cells.get(key) !== now.get(key),
  );
  const painted: SceneEdit =
    type === "GridMap"
      ? { kind: "set", node: input.node, properties: { data: gridData(now) } }
      : { kind: "tiles", node: input.node, cells: changed.map((key) => tileAt(key, now.get(key))) };
  const edits = [...(changed.length > 0 || terrains.length === 0 ? [painted] : []), ...terrains];
  const done = await editSceneFile(context, input, `paint ${input.node}`, edits);
  if (!done.ok) return done;
  const summary = `Painted ${count(changed.length, "cell")} of ${input.node}${terrains.length > 0 ? ", and terrains" : ""}.`;
  return ok({ ...done.value, changes: done.value.changes.map(withoutData) }, { ...done.notes, summary });
}

/** The cells of a GridMap are long; the answer does not repeat them. */
function withoutData<T extends { readonly properties?: readonly { readonly name: string }[] }>(change: T): T {
  if (!change.properties?.some(({ name }) => name === "data")) return change;
  const { properties: _, ...rest } = change;
  // Properties are optional, so the rest is still a change.
  return rest as T;
}

function at(index: number, message: string) {
  return errors.fail("E_SCHEMA_VALIDATION", `strokes[${index}]: ${message}`);
}

function isTooFar(key: string, type: Grid["type"]): boolean {
  const { x, y, z } = placeOf(key);
  return (
    [x, y, z].some((number) => number < -32768 || number > 32767) || (type === "TileMapLayer" && z !== 0)
  );
}

async function gridOf(
  context: DriverContext,
  { node, ...request }: SceneRequest & { readonly node: string },
): Promise<ToolAnswer<Grid>> {
  const found = await inspect(context, { ...request, node, fields: [] });
  if (!found.ok) return found;
  // A script with a class_name hides the engine class.
  const native = TYPES.find((type) => type === found.value.type);
  for (const type of native === undefined ? TYPES : [native]) {
    const read = await inspect(context, { ...request, node, fields: [FIELDS[type]] });
    if (!read.ok && native !== undefined) return read;
    if (!read.ok) continue;
    const value = read.value.properties[FIELDS[type]] ?? null;
    return ok({ type, cells: type === "GridMap" ? gridCells(value) : tileCells(value) }, read.notes);
  }
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `"${node}" is a ${found.value.type}; cells are in a TileMapLayer or a GridMap.`,
  );
}

const TYPES = ["TileMapLayer", "GridMap"] as const;
const FIELDS = { TileMapLayer: "tile_map_data", GridMap: "data" } as const;

const tileText: Content = (given) => {
  if (given === null) return ok(null);
  const tile = p.checked("tile", tileOf, given);
  if (!tile.ok) return tile;
  const { source, atlas, alternative } = tile.value;
  return ok(JSON.stringify({ source, atlas, ...(alternative > 0 && { alternative }) }));
};

const itemText: Content = (given) => {
  if (given === null) return ok(null);
  const item = p.checked("tile", itemOf, given);
  if (!item.ok) return item;
  const { item: number, orientation } = item.value;
  return ok(JSON.stringify({ item: number, ...(orientation > 0 && { orientation }) }));
};

function tileCells(value: Json): Cells {
  const tiles = typeof value === "string" ? cellsOf(Buffer.from(value, "base64")) : [];
  return new Map(
    tiles.map(({ x, y, source, atlas = { x: 0, y: 0 }, alternative }) => [
      keyOf({ x, y, z: 0 }),
      JSON.stringify({
        source,
        atlas: [atlas.x, atlas.y],
        ...(alternative !== undefined && { alternative }),
      }),
    ]),
  );
}

function tileAt(key: string, value: string | undefined): Tile {
  const { x, y } = placeOf(key);
  if (value === undefined) return { x, y };
  // Cells hold what tileText wrote.
  const { source, atlas, alternative = 0 } = tileOf.parse(JSON.parse(value));
  return { x, y, source, atlas: { x: atlas[0], y: atlas[1] }, ...(alternative > 0 && { alternative }) };
}

/** A cell of a GridMap is three 32-bit numbers: x and y, z, and the item in 16 bits with its orientation in 5 above. */
function gridCells(value: Json): Cells {
  const held = (
    value as { readonly cells?: { readonly value?: readonly number[] } | readonly number[] } | null
  )?.cells;
  const numbers = Array.isArray(held)
    ? (held as readonly number[])
    : ((held as { value?: readonly number[] })?.value ?? []);
  const cells: Cells = new Map();
  const signed = (bits: number) => ((bits & 0xffff) << 16) >> 16;
  for (let index = 0; index + 2 < numbers.length; index += 3) {
    const [xy = 0, z = 0, held = 0] = numbers.slice(index, index + 3);
    const orientation = (held >>> 16) & 0x1f;
    cells.set(
      keyOf({ x: signed(xy), y: signed(xy >> 16), z: signed(z) }),
      JSON.stringify({ item: held & 0xffff, ...(orientation > 0 && { orientation }) }),
    );
  }
  return cells;
}

function gridData(cells: Cells): JsonObject {
  const numbers = [...cells].flatMap(([key, value]) => {
    const { x, y, z } = placeOf(key);
    const { item, orientation } = itemOf.parse(JSON.parse(value));
    return [(x & 0xffff) | (y << 16), z & 0xffff, item | (orientation << 16)];
  });
  return { cells: { $type: "PackedInt32Array", value: numbers } };
}
