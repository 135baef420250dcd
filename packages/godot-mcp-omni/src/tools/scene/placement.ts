import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";
import type { Box, Vector3 } from "../../scene-model/geometry3d.ts";
import { list, maybe, text } from "../../shapes.ts";

const SIDES = ["left", "right", "front", "back", "above", "below"] as const;

/** A position by its meaning. Sizes and gaps are meters in 3D and pixels in 2D. */
export const where = z
  .strictObject({
    /** The node to put it on top of. */
    on: maybe,
    beside: maybe,
    /** The node to put it in, on its floor. */
    inside: maybe,
    /** A Path2D or Path3D, or a node whose longer side to follow. */
    along: maybe,
    /** Drops it onto the body below. */
    floor: z.literal(true).exactOptional(),
    /** Columns and rows. */
    grid: z.tuple([z.int().min(1).max(100), z.int().min(1).max(100)]).exactOptional(),
    side: z.enum(SIDES).exactOptional(),
    gap: z.number().min(0).exactOptional(),
    /** The total number; copies of the node are made. */
    count: z.int().min(1).max(200).exactOptional(),
    /** Other nodes to place with it. */
    with: list(text).exactOptional(),
    /** Position on the surface, as shares from its left and back: [0.5, 0.5] is its middle. */
    at: z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]).exactOptional(),
    /** The size of the node, if the files do not show it. */
    size: z.tuple([z.number().min(0), z.number().min(0), z.number().min(0)]).exactOptional(),
    /** Even if it overlaps a body or leaves the navigation mesh. */
    anyway: z.boolean().exactOptional(),
  })
  .refine(
    ({ on, beside, inside, along, floor }) =>
      [on, beside, inside, along, floor].filter((given) => given !== undefined).length <= 1,
    "takes one of on, beside, inside, along and floor",
  )
  .refine(
    ({ on, beside, inside, along, floor, grid }) =>
      [on, beside, inside, along, floor, grid].some((given) => given !== undefined),
    "needs on, beside, inside, along, floor or grid",
  );

export type Where = z.infer<typeof where>;

/** A node to place: its size, and the center of its box relative to its origin. */
export interface Item {
  readonly name: string;
  readonly size: Vector3;
  readonly middle: Vector3;
  readonly origin: Vector3;
}

export interface Stage {
  /** 2D: up is negative and nothing has depth. */
  readonly isFlat: boolean;
  /** Name and box of the node that `where` names. */
  readonly target?: { readonly name: string; readonly box: Box };
  /** Points of a path that `where` names. */
  readonly path?: readonly Vector3[];
  /** Boxes to put a node on, for `floor`. */
  readonly ground: readonly Box[];
}

type Places = Result<readonly Vector3[], "E_NOT_FOUND" | "E_UNSUPPORTED" | "E_SCHEMA_VALIDATION">;

/** Computes the new origin of each item. */
export function placesOf(where: Where, items: readonly Item[], stage: Stage): Places {
  const { path, target, isFlat } = stage;
  const centers = path
    ? ok(onPath(path, items, isFlat))
    : where.floor
      ? onGround(items, stage)
      : target === undefined
        ? ok(inGrid(where, items, stage))
        : where.beside !== undefined
          ? ok(besideEach(where, items, target.box, isFlat))
          : where.along !== undefined
            ? alongSide(where, items, target, isFlat)
            : onSurface(where, items, target, stage);
  if (!centers.ok) return centers;
  return ok(items.map((item, index) => minus(centers.value[index] ?? item.origin, item.middle)));
}

export function boxAt({ size, middle }: Item, origin: Vector3): Box {
  const center = plus(origin, middle);
  const half = scaled(size, 0.5);
  return { least: minus(center, half), most: plus(center, half) };
}

/** In columns and rows from the first one. */
function inGrid({ grid = [1, 1], gap = 0 }: Where, items: readonly Item[], { isFlat }: Stage): Vector3[] {
  const size = largest(items);
  const start = plus(items[0]?.origin ?? ZERO, items[0]?.middle ?? ZERO);
  return items.map((_, index) => {
    const along = (index % grid[0]) * (size[0] + gap);
    const row = Math.floor(index / grid[0]);
    return plus(start, isFlat ? [along, row * (size[1] + gap), 0] : [along, 0, row * (size[2] + gap)]);
  });
}

function onSurface(
  { grid, gap = 0, at = [0.5, 0.5], inside }: Where,
  items: readonly Item[],
  { name, box }: NonNullable<Stage["target"]>,
  { isFlat }: Stage,
): Places {
  const size = largest(items);
  const columns = grid?.[0] ?? (isFlat ? items.length : Math.ceil(Math.sqrt(items.length)));
  const rows = Math.ceil(items.length / columns);
  const width = columns * size[0] + (columns - 1) * gap;
  const depth = isFlat ? 0 : rows * size[2] + (rows - 1) * gap;
  const height = isFlat ? rows * size[1] + (rows - 1) * gap : size[1];
  const room = minus(box.most, box.least);
  const needs = [width, depth, ...(inside === undefined ? [] : [height])];
  const has = [room[0], isFlat ? 0 : room[2], ...(inside === undefined ? [] : [room[1]])];
  if (needs.some((need, axis) => need > (has[axis] ?? 0) + SLACK))
    return errors.fail(
      "E_UNSUPPORTED",
      `${items.length === 1 ? "It needs" : `${items.length} of them need`} ${shown(needs)} and ${name} has ${shown(has)}.`,
      { suggestedFix: "Place fewer, with less gap, or make it larger." },
    );
  const left = box.least[0] + at[0] * (room[0] - width);
  const back = box.least[2] + at[1] * (room[2] - depth);
  const ground = bottomOf(box, inside !== undefined, isFlat);
  return ok(
    items.map((item, index) => {
      const column = index % columns;
      const row = Math.floor(index / columns);
      const x = left + column * (size[0] + gap) + size[0] / 2;
      if (isFlat) return [x, ground - row * (size[1] + gap) - item.size[1] / 2, 0];
      return [x, ground + item.size[1] / 2, back + row * (size[2] + gap) + size[2] / 2];
    }),
  );
}

/** The height for an item: on the bottom of a box, or on its top. */
function bottomOf(box: Box, isInside: boolean, isFlat: boolean): number {
  return isInside === isFlat ? box.most[1] : isInside ? box.least[1] : isFlat ? box.least[1] : box.most[1];
}

/** Each next to the previous one, at the same height. */
function besideEach(
  { side = "right", gap = 0 }: Where,
  items: readonly Item[],
  box: Box,
  isFlat: boolean,
): Vector3[] {
  let next = box;
  return items.map((item) => {
    const center = nextTo(item, next, side, gap, isFlat);
    next = boxAt({ ...item, middle: ZERO }, center);
    return center;
  });
}

function nextTo(item: Item, box: Box, side: (typeof SIDES)[number], gap: number, isFlat: boolean): Vector3 {
  const [x, , z] = scaled(plus(box.least, box.most), 0.5);
  const standing = isFlat ? box.most[1] - item.size[1] / 2 : box.least[1] + item.size[1] / 2;
  const away = (axis: 0 | 1 | 2, sign: 1 | -1) =>
    sign === 1 ? box.most[axis] + gap + item.size[axis] / 2 : box.least[axis] - gap - item.size[axis] / 2;
  switch (side) {
    case "left":
      return [away(0, -1), standing, z];
    case "right":
      return [away(0, 1), standing, z];
    case "front":
      return [x, standing, away(2, 1)];
    case "back":
      return [x, standing, away(2, -1)];
    case "above":
      return [x, away(1, isFlat ? -1 : 1), z];
    case "below":
      return [x, away(1, isFlat ? 1 : -1), z];
    default:
      return side satisfies never;
  }
}

/** Spreads items along the longer side of a box. */
function alongSide(
  { side, gap = 0 }: Where,
  items: readonly Item[],
  { name, box }: NonNullable<Stage["target"]>,
  isFlat: boolean,
): Places {
  const room = minus(box.most, box.least);
  const axis = isFlat || room[0] >= room[2] ? 0 : 2;
  const chosen = side ?? (isFlat ? "above" : axis === 0 ? "front" : "right");
  const isAcross =
    axis === 0 ? chosen === "left" || chosen === "right" : chosen === "front" || chosen === "back";
  if (isAcross)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `where.side: ${chosen} is an end of ${name}, which is longer the other way.`,
    );
  const total = items.reduce((length, item) => length + item.size[axis], 0);
  if (total > room[axis] + SLACK)
    return errors.fail(
      "E_UNSUPPORTED",
      `They need ${shown([total])} and ${name} is ${shown([room[axis]])} long.`,
    );
  const between = items.length === 1 ? 0 : (room[axis] - total) / (items.length - 1);
  let from = box.least[axis] + (items.length === 1 ? (room[axis] - total) / 2 : 0);
  return ok(
    items.map((item) => {
      const center = [...nextTo(item, box, chosen, gap, isFlat)] as [number, number, number];
      center[axis] = from + item.size[axis] / 2;
      from += item.size[axis] + between;
      return center;
    }),
  );
}

/** Moves each straight down, or up if it is sunk in: onto the nearest top at or below its center. */
function onGround(items: readonly Item[], { ground, isFlat }: Stage): Places {
  const centers: Vector3[] = [];
  for (const item of items) {
    const box = boxAt(item, item.origin);
    const middle = (box.least[1] + box.most[1]) / 2;
    const up = isFlat ? -1 : 1;
    const tops = ground
      .filter((other) => ([0, 2] as const).every((axis) => touches(box, other, axis, isFlat)))
      .map((other) => (isFlat ? other.least[1] : other.most[1]))
      .filter((top) => top * up <= middle * up + SLACK);
    if (tops.length === 0)
      return errors.fail("E_NOT_FOUND", `There is no body below ${item.name} to put it on.`, {
        suggestedFix: "Move it above one, or name a node with on.",
      });
    const top = Math.max(...tops.map((each) => each * up)) * up;
    const [x, , z] = plus(item.origin, item.middle);
    centers.push([x, top + (up * item.size[1]) / 2, z]);
  }
  return ok(centers);
}

function touches(one: Box, two: Box, axis: 0 | 2, isFlat: boolean): boolean {
  return (isFlat && axis === 2) || (one.least[axis] < two.most[axis] && two.least[axis] < one.most[axis]);
}

/** In 3D they are on top of the path, in 2D it runs through their center. */
function onPath(points: readonly Vector3[], items: readonly Item[], isFlat: boolean): Vector3[] {
  return spread(points, items.length).map((point, index) =>
    plus(point, [0, isFlat ? 0 : (items[index]?.size[1] ?? 0) / 2, 0]),
  );
}

/** Points at even distances along a path; a single one in its middle. */
function spread(points: readonly Vector3[], count: number): readonly Vector3[] {
  const lengths = points.slice(1).map((point, index) => Math.hypot(...minus(point, points[index] ?? point)));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return Array.from({ length: count }, (_, index) => {
    let left = total * (count === 1 ? 0.5 : index / (count - 1));
    for (const [at, length] of lengths.entries()) {
      const [from, to] = [points[at] ?? ZERO, points[at + 1] ?? ZERO];
      if (left <= length || at === lengths.length - 1)
        return plus(from, scaled(minus(to, from), length === 0 ? 0 : Math.min(1, left / length)));
      left -= length;
    }
    return points[0] ?? ZERO;
  });
}

function largest(items: readonly Item[]): Vector3 {
  const side = (axis: 0 | 1 | 2) => Math.max(...items.map(({ size }) => size[axis]));
  return [side(0), side(1), side(2)];
}

const ZERO: Vector3 = [0, 0, 0];
/** Positions are rounded when they are saved. */
const SLACK = 1e-4;

function plus(one: Vector3, two: Vector3): Vector3 {
  return [one[0] + two[0], one[1] + two[1], one[2] + two[2]];
}

function minus(one: Vector3, two: Vector3): Vector3 {
  return [one[0] - two[0], one[1] - two[1], one[2] - two[2]];
}

function scaled([x, y, z]: Vector3, by: number): Vector3 {
  return [x * by, y * by, z * by];
}

/** `2 × 0.5` */
function shown(numbers: readonly number[]): string {
  return numbers.map((number) => Math.round(number * 100) / 100).join(" × ");
}
