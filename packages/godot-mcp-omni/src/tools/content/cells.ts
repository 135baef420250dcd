import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";

/** A position in a grid; a TileMapLayer has no z. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Cells by `x y z`, with comparable texts as contents. */
export type Cells = Map<string, string>;

export const keyOf = ({ x, y, z }: Place): string => `${x} ${y} ${z}`;

export function placeOf(key: string): Place {
  const [x = 0, y = 0, z = 0] = key.split(" ").map(Number);
  return { x, y, z };
}

const whole = z.int().min(-32768).max(32767);
const extent = z.int().min(1).max(65536);
const place = z.strictObject({ x: whole, y: whole, z: whole.default(0) });
/** `x`, `y`, `width`, `height`; in a GridMap also `z` and `depth`. */
export const region = place.extend({ width: extent, height: extent, depth: extent.default(1) });
export type Region = z.infer<typeof region>;

/** A larger region is probably a mistake, and slow. */
const MAX_CELLS = 100_000;

export const tileOf = z.strictObject({
  source: z.int().min(0).max(65534).default(0),
  atlas: z.tuple([z.int().min(0).max(65535), z.int().min(0).max(65535)]).default([0, 0]),
  alternative: z.int().min(0).max(65535).default(0),
});

export const itemOf = z.strictObject({
  item: z.int().min(0).max(65534),
  orientation: z.int().min(0).max(23).default(0),
});

/** The new content of a cell; null erases it. */
const content = z.looseObject({}).nullable();

/** One step of painting. */
export const stroke = z.strictObject({
  rect: region.exactOptional(),
  cells: z.array(z.array(whole).min(2).max(3)).exactOptional(),
  rows: z.array(z.string()).exactOptional(),
  floors: z.array(z.strictObject({ y: whole, rows: z.array(z.string()) })).exactOptional(),
  legend: z.record(z.string(), content).exactOptional(),
  at: place.exactOptional(),
  flood: place.exactOptional(),
  within: region.exactOptional(),
  copy: region.exactOptional(),
  hollow: z.boolean().exactOptional(),
  tile: content.exactOptional(),
  terrain: z.strictObject({ set: z.int().min(0).default(0), terrain: z.int().min(-1) }).exactOptional(),
});
export type Stroke = z.infer<typeof stroke>;

type Painted<T> = Result<T, "E_SCHEMA_VALIDATION">;

/** Checks the content of a cell and converts it to text. */
export type Content = (given: unknown) => Painted<string | null>;

/** The cells that a stroke writes, by key; null erases. Reads `cells`, and changes nothing. */
export function strokeCells(
  given: Stroke,
  cells: ReadonlyMap<string, string>,
  contentOf: Content,
): Painted<Map<string, string | null>> {
  const kinds = (["rect", "cells", "rows", "floors", "flood", "copy"] as const).filter(
    (kind) => given[kind] !== undefined,
  );
  if (kinds.length !== 1)
    return wrong(
      "A stroke has one of rect, cells, rows, floors, flood and copy, and says with tile what to paint.",
    );
  if (given.copy !== undefined) return copied(given.copy, given.at, cells);
  if (given.rows !== undefined || given.floors !== undefined) return drawn(given, contentOf);
  if (given.tile === undefined && given.terrain === undefined)
    return wrong("A stroke says with tile what to paint, or with tile null that it erases.");
  const value = contentOf(given.tile ?? null);
  if (!value.ok) return value;
  const places =
    given.flood !== undefined
      ? flooded(given.flood, given.within, cells)
      : given.rect !== undefined
        ? rectangle(given.rect, given.hollow ?? false)
        : ok((given.cells ?? []).map(([x = 0, y = 0, z = 0]): Place => ({ x, y, z })));
  return places.ok ? ok(new Map(places.value.map((at) => [keyOf(at), value.value]))) : places;
}

function rectangle(rect: Region, hollow: boolean): Painted<Place[]> {
  if (rect.width * rect.height * rect.depth > MAX_CELLS) return tooMany();
  const places: Place[] = [];
  const isEdge = (offset: number, length: number) => offset === 0 || offset === length - 1;
  for (let z = 0; z < rect.depth; z++)
    for (let y = 0; y < rect.height; y++)
      for (let x = 0; x < rect.width; x++) {
        const atEdge =
          isEdge(x, rect.width) || isEdge(y, rect.height) || (rect.depth > 1 && isEdge(z, rect.depth));
        if (!hollow || atEdge) places.push({ x: rect.x + x, y: rect.y + y, z: rect.z + z });
      }
  return ok(places);
}

/** The connected cells with the content of the first one. Empty cells end at `within`, or at the used region. */
function flooded(
  start: Place,
  within: Region | undefined,
  cells: ReadonlyMap<string, string>,
): Painted<Place[]> {
  const bounds = within ?? usedRegion(cells);
  if (bounds === undefined || !isInside(start, bounds))
    return wrong("flood starts outside of the used part: give within, a region that it stays in.");
  const wanted = cells.get(keyOf(start));
  const seen = new Map<string, Place>([[keyOf(start), start]]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const [dx, dy, dz] of NEIGHBOURS) {
      const next = { x: at.x + dx, y: at.y + dy, z: at.z + dz };
      const key = keyOf(next);
      if (seen.has(key) || !isInside(next, bounds) || cells.get(key) !== wanted) continue;
      seen.set(key, next);
      open.push(next);
      if (seen.size > MAX_CELLS) return tooMany();
    }
  }
  return ok([...seen.values()]);
}

const NEIGHBOURS = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
] as const;

function copied(
  from: Region,
  at: Place | undefined,
  cells: ReadonlyMap<string, string>,
): Painted<Map<string, string | null>> {
  if (at === undefined) return wrong("copy needs at, the place that its first corner goes to.");
  const places = rectangle(from, false);
  if (!places.ok) return places;
  const moved = places.value.map((place): [string, string | null] => [
    keyOf({ x: place.x - from.x + at.x, y: place.y - from.y + at.y, z: place.z - from.z + at.z }),
    cells.get(keyOf(place)) ?? null,
  ]);
  return ok(new Map(moved));
}

/** A drawing in the notation of `cells.read`. A space leaves a cell unchanged, a point erases it. */
function drawn(
  { rows, floors, legend = {}, at = { x: 0, y: 0, z: 0 } }: Stroke,
  contentOf: Content,
): Painted<Map<string, string | null>> {
  const meaning = new Map<string, string | null>([[".", null]]);
  for (const [sign, given] of Object.entries(legend)) {
    const value = contentOf(given);
    if (!value.ok) return value;
    meaning.set(sign, value.value);
  }
  const painted = new Map<string, string | null>();
  const layers = floors ?? [{ y: undefined, rows: rows ?? [] }];
  for (const { y, rows: lines } of layers)
    for (const [line, text] of lines.entries())
      for (const [column, sign] of [...text].entries()) {
        if (sign === " ") continue;
        const value = meaning.get(sign);
        if (value === undefined) return wrong(`legend does not say what "${sign}" is.`);
        // Rows of a floor run along z.
        const key =
          y === undefined
            ? keyOf({ x: at.x + column, y: at.y + line, z: at.z })
            : keyOf({ x: at.x + column, y, z: at.z + line });
        painted.set(key, value);
        if (painted.size > MAX_CELLS) return tooMany();
      }
  return ok(painted);
}

/** The smallest region with all cells; undefined if there are none. */
export function usedRegion(cells: ReadonlyMap<string, string>): Region | undefined {
  const [first, ...rest] = [...cells.keys()].map(placeOf);
  if (first === undefined) return undefined;
  const low = { ...first };
  const high = { ...first };
  for (const at of rest)
    for (const axis of ["x", "y", "z"] as const) {
      low[axis] = Math.min(low[axis], at[axis]);
      high[axis] = Math.max(high[axis], at[axis]);
    }
  const [width, height, depth] = (["x", "y", "z"] as const).map((axis) => high[axis] - low[axis] + 1);
  return { ...low, width: width ?? 1, height: height ?? 1, depth: depth ?? 1 };
}

function isInside({ x, y, z }: Place, within: Region): boolean {
  return (
    x >= within.x &&
    x < within.x + within.width &&
    y >= within.y &&
    y < within.y + within.height &&
    z >= within.z &&
    z < within.z + within.depth
  );
}

/** The characters of a drawing: letters and digits first. */
export function signOf(index: number): string {
  const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return plain[index] ?? String.fromCodePoint(0x100 + index - plain.length);
}

function tooMany() {
  return wrong(`That are more than ${MAX_CELLS} cells. Paint a smaller part.`);
}

function wrong(message: string) {
  return errors.fail("E_SCHEMA_VALIDATION", message);
}
