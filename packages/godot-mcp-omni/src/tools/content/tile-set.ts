import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import { count as amount } from "../../shapes.ts";
import { createResource, resourceCreated } from "../asset/resources.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";
import { sheetOf } from "./sheet.ts";

const place = z.tuple([z.int().min(0), z.int().min(0)]);
const SIDES = [
  "right_side",
  "bottom_right_corner",
  "bottom_side",
  "bottom_left_corner",
  "left_side",
  "top_left_corner",
  "top_side",
  "top_right_corner",
] as const;
const MODES = ["corners_and_sides", "corners", "sides"] as const;

const physicsLayer = z.strictObject({
  tiles: z.array(place).exactOptional(),
  collisionLayer: z.int().min(0).max(0xffffffff).default(1),
  collisionMask: z.int().min(0).max(0xffffffff).default(1),
  points: z
    .array(z.tuple([z.number(), z.number()]))
    .min(3)
    .exactOptional(),
  oneWay: z.boolean().default(false),
});

const terrainSet = z.strictObject({
  mode: z.enum(MODES).default("corners_and_sides"),
  terrains: z.array(
    z.strictObject({
      name: z.string(),
      color: z.string().exactOptional(),
      tiles: z
        .array(
          z.strictObject({
            at: place,
            peering: z.union([z.literal("all"), z.array(z.enum(SIDES))]).default([]),
          }),
        )
        .min(1),
    }),
  ),
});

export const tileSetInput = z.strictObject({
  path: p.path,
  texture: z.string().describe("Image: res://tiles.png"),
  size: p.vector.describe("Size of a tile or frame: [16, 16]"),
  margins: p.vector.optional().describe("Pixels before the first tile: {x, y}"),
  separation: p.vector.optional().describe("Pixels between tiles: {x, y}"),
  tiles: z
    .array(p.item)
    .optional()
    .describe('"x,y" of the tiles to make, such as ["0,0", "1,0"]; default: all'),
  physics: z
    .array(p.anyObject)
    .optional()
    .describe(
      "Layers {tiles: [[x, y]] (default: all), collisionLayer, collisionMask, points (default: the whole tile), oneWay}",
    ),
  terrainSets: z
    .array(p.anyObject)
    .optional()
    .describe(
      '{mode: "corners_and_sides", terrains: [{name, color, tiles: [{at: [x, y], peering: "all" or ["right_side", …]}]}]}',
    ),
  overwrite: p.overwrite,
  mode: p.mode,
});

export const tileSetMade = resourceCreated.extend({ columns: amount, rows: amount, tiles: amount });

const named = z.string().regex(/^\d+,\d+$/);

/** Makes a TileSet with one atlas source from an image. */
export async function makeTileSet(
  context: DriverContext,
  input: z.infer<typeof tileSetInput>,
): Promise<ToolAnswer<z.input<typeof tileSetMade>>> {
  const target = await context.project.resolve(input.path);
  if (!target.ok) return target;
  const physics = p.checkedItems("physics", physicsLayer, input.physics ?? []);
  if (!physics.ok) return physics;
  const sets = p.checkedItems("terrainSets", terrainSet, input.terrainSets ?? []);
  if (!sets.ok) return sets;
  const sheet = await sheetOf(context, input);
  if (!sheet.ok) return sheet;
  const { columns, rows, size, margins, separation, texture } = sheet.value;
  const listed = p.checkedItems("tiles", named, input.tiles ?? []);
  if (!listed.ok) return listed;
  const all = Array.from(
    { length: columns * rows },
    (_, index) => `${index % columns}:${Math.floor(index / columns)}`,
  );
  const tiles = input.tiles === undefined ? all : listed.value.map((tile) => tile.replace(",", ":"));
  const known = new Set(all);
  const asked = [
    ...tiles,
    ...physics.value.flatMap((layer) => (layer.tiles ?? []).map(([x, y]) => `${x}:${y}`)),
    ...sets.value.flatMap((set) =>
      set.terrains.flatMap((terrain) => terrain.tiles.map(({ at }) => `${at[0]}:${at[1]}`)),
    ),
  ];
  const stray = asked.find((tile) => !known.has(tile) || !tiles.includes(tile));
  if (stray !== undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `There is no tile ${stray.replace(":", ",")}: ${texture} has ${columns} columns and ${rows} rows of them.`,
      { details: { columns, rows } },
    );
  const atlas: Record<string, Json> = { texture, texture_region_size: size, margins, separation };
  const layers: Record<string, Json> = {};
  // Set on a tile inside the set, because Godot checks which terrains fit only there.
  const later: Record<string, Json> = {};
  for (const tile of tiles) atlas[`${tile}/0`] = 0;
  for (const [index, layer] of physics.value.entries()) {
    layers[`physics_layer_${index}/collision_layer`] = layer.collisionLayer;
    layers[`physics_layer_${index}/collision_mask`] = layer.collisionMask;
    const points = layer.points ?? square(size);
    for (const tile of layer.tiles?.map(([x, y]) => `${x}:${y}`) ?? tiles) {
      later[`sources/0:${tile}/0/physics_layer_${index}/polygon_0/points`] = points;
      if (layer.oneWay) later[`sources/0:${tile}/0/physics_layer_${index}/polygon_0/one_way`] = true;
    }
  }
  for (const [index, { mode, terrains }] of sets.value.entries()) {
    layers[`terrain_set_${index}/mode`] = MODES.indexOf(mode);
    for (const [number, { name, color, tiles: members }] of terrains.entries()) {
      layers[`terrain_set_${index}/terrain_${number}/name`] = name;
      layers[`terrain_set_${index}/terrain_${number}/color`] =
        color ?? COLORS[number % COLORS.length] ?? "white";
      for (const { at, peering } of members) {
        const tile = `sources/0:${at[0]}:${at[1]}/0`;
        later[`${tile}/terrain_set`] = index;
        later[`${tile}/terrain`] = number;
        for (const side of peeringOf(peering, mode)) later[`${tile}/terrains_peering_bit/${side}`] = number;
      }
    }
  }
  const properties: JsonObject = {
    tile_size: size,
    ...layers,
    "sources/0": { resource: "TileSetAtlasSource", properties: atlas },
    ...later,
  };
  const made = await createResource(context, { ...input, type: "TileSet", properties });
  if (!made.ok) return made;
  // Every tile is a property; the answer only counts them.
  const changed = made.value.changed.filter(({ name }) => !name.startsWith("sources/"));
  return ok(
    { ...made.value, changed, columns, rows, tiles: tiles.length },
    { ...made.notes, summary: `Made ${input.path} with ${tiles.length} tiles from ${texture}.` },
  );
}

const COLORS = ["forest green", "saddle brown", "steel blue", "gold", "slate gray"];

function square({ x, y }: { readonly x: number; readonly y: number }): number[][] {
  const [h, v] = [x / 2, y / 2];
  return [
    [-h, -v],
    [h, -v],
    [h, v],
    [-h, v],
  ];
}

/** A set that matches corners has no sides, and vice versa. */
function peeringOf(peering: "all" | readonly string[], mode: (typeof MODES)[number]): readonly string[] {
  if (peering !== "all") return peering;
  return SIDES.filter(
    (side) => mode === "corners_and_sides" || side.endsWith(mode === "corners" ? "_corner" : "_side"),
  );
}
