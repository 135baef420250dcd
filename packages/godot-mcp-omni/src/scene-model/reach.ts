import type { Steps } from "../formats/document.ts";
import { assignmentsOf } from "../formats/scene-text.ts";
import type { ClassTable } from "../godot/class-table.ts";
import { globalTransform, isA, numbersOf, subResource } from "./geometry.ts";
import { globalTransform3D, moved } from "./geometry3d.ts";
import type { SceneNode } from "./scene-tree.ts";

/** A position on the ground: across, along, and its height, which is 0 in 2D. */
type Point = readonly [across: number, along: number, height: number];

interface Polygon {
  readonly region: SceneNode;
  readonly points: readonly Point[];
  /** Polygons reachable from this one. */
  readonly next: Set<number>;
}

/** Defaults of NavigationServer, unless the project's settings change them. */
const RULES = {
  "2D": { mesh: "navigation_polygon", cell: 1, margin: 1, linkRadius: 4, near: 20, tall: 1 },
  "3D": { mesh: "navigation_mesh", cell: 0.25, margin: 0.25, linkRadius: 1, near: 1, tall: 2.5 },
} as const;

export type Dimension = keyof typeof RULES;

/** Each edge is compared with all others of the border, which needs a limit. */
const MAX_BORDERS = 1_500;

/** The baked navigation of a scene, as far as its text shows it. */
export interface Navigation {
  readonly dimension: Dimension;
  readonly polygons: readonly Polygon[];
  /** Regions without baked data. */
  readonly empty: readonly SceneNode[];
  /** Whether some of it is in another file, or made by tiles, and could not be read. */
  readonly isPartial: boolean;
}

export function* readingNavigation(
  nodes: readonly SceneNode[],
  dimension: Dimension,
  classes: ClassTable,
): Steps<Navigation> {
  const polygons: Polygon[] = [];
  const empty: SceneNode[] = [];
  let isPartial = false;
  for (const node of nodes) {
    if (dimension === "2D" && isA(node, "TileMapLayer", classes)) isPartial = true;
    if (!isA(node, `NavigationRegion${dimension}`, classes) || isOff(node)) continue;
    yield;
    const found = polygonsOf(node, dimension, classes);
    if (found === undefined) isPartial = true;
    else if (found.length === 0) empty.push(node);
    else polygons.push(...found);
  }
  yield* connecting(polygons, dimension);
  const navigation = { dimension, polygons, empty, isPartial };
  for (const node of nodes)
    if (isA(node, `NavigationLink${dimension}`, classes) && !isOff(node)) addLink(navigation, node, classes);
  return navigation;
}

/** The polygon at or near a node. */
export function polygonAt(navigation: Navigation, node: SceneNode, classes: ClassTable): number | undefined {
  const at = placeOf(node, navigation.dimension, classes);
  return at === undefined ? undefined : nearestPolygon(navigation, at, RULES[navigation.dimension].near);
}

/** Whether a position of the scene is on the navigation mesh, or close enough for an agent to snap to it. */
export function isOnNavigation(
  navigation: Navigation,
  [x, y, z]: readonly [number, number, number],
): boolean {
  const { near } = RULES[navigation.dimension];
  const at: Point = navigation.dimension === "2D" ? [x, y, 0] : [x, z, y];
  return nearestPolygon(navigation, at, near) !== undefined;
}

/** All polygons that are connected to one. */
export function reachable({ polygons }: Navigation, from: number): ReadonlySet<number> {
  const seen = new Set([from]);
  // Iterating a set includes values added meanwhile.
  for (const at of seen) for (const next of polygons[at]?.next ?? []) seen.add(next);
  return seen;
}

/** Unconnected parts as lists of polygon numbers, the largest first. */
export function islands(navigation: Navigation): readonly (readonly number[])[] {
  const left = new Set(navigation.polygons.keys());
  const found: number[][] = [];
  for (const start of left) {
    const part = [...reachable(navigation, start)].filter((index) => left.delete(index));
    found.push(part);
  }
  return found.sort((one, two) => two.length - one.length);
}

export function middleOf({ polygons }: Navigation, part: readonly number[]): readonly [number, number] {
  const points = part.flatMap((index) => polygons[index]?.points ?? []);
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / (points.length || 1);
  return [mean(0), mean(1)];
}

function isOff(node: SceneNode): boolean {
  return node.properties.get("enabled")?.text === "false";
}

/** Undefined if the text does not contain them. */
function polygonsOf(
  node: SceneNode,
  dimension: Dimension,
  classes: ClassTable,
): readonly Polygon[] | undefined {
  const held = node.properties.get(RULES[dimension].mesh)?.text ?? "null";
  if (held === "null") return [];
  const block = subResource(node, RULES[dimension].mesh);
  if (block === undefined) return undefined;
  const values = new Map(assignmentsOf(block).map(({ name, value }) => [name, value]));
  const numbers = numbersIn(values.get("vertices") ?? "");
  const size = dimension === "2D" ? 2 : 3;
  const place = placing(node, dimension, classes);
  if (place === undefined) return undefined;
  const vertex = (index: number): Point => {
    const [x = 0, y = 0, z = 0] = numbers.slice(index * size, index * size + size);
    return place(x, y, z);
  };
  return [...(values.get("polygons") ?? "").matchAll(/PackedInt32Array\(([^)]*)\)/g)].map(
    ([, list = ""]) => ({
      region: node,
      points: list.split(",").map((index) => vertex(Number(index))),
      next: new Set<number>(),
    }),
  );
}

function numbersIn(text: string): readonly number[] {
  const [, inner = ""] = /^[^(]*\(([^)]*)\)/.exec(text) ?? [];
  return inner === "" ? [] : inner.split(",").map(Number);
}

/** Converts a position inside a node to scene coordinates. */
function placing(
  node: SceneNode,
  dimension: Dimension,
  classes: ClassTable,
): ((x: number, y: number, z: number) => Point) | undefined {
  if (dimension === "2D") {
    const { a, b, c, d, e, f } = globalTransform(node, classes);
    return (x, y) => [a * x + c * y + e, b * x + d * y + f, 0];
  }
  const at = globalTransform3D(node, classes);
  if (at === undefined) return undefined;
  return (x, y, z) => {
    const [across, height, along] = moved(at, [x, y, z]);
    return [across, along, height];
  };
}

function placeOf(node: SceneNode, dimension: Dimension, classes: ClassTable): Point | undefined {
  if (!isA(node, `Node${dimension}`, classes)) return undefined;
  return placing(node, dimension, classes)?.(0, 0, 0);
}

type Border = readonly [polygon: number, from: Point, to: Point];

/** Connects polygons that share an edge, and those of two regions whose edges coincide. */
function* connecting(polygons: readonly Polygon[], dimension: Dimension): Steps<void> {
  const { cell, margin } = RULES[dimension];
  const byEdge = new Map<string, Border[]>();
  const key = (point: Point) => point.map((part) => Math.round(part / cell)).join();
  for (const [index, { points }] of polygons.entries()) {
    if (index % 1_000 === 0) yield;
    for (const [at, from] of points.entries()) {
      const to = points[(at + 1) % points.length] ?? from;
      const edge = [key(from), key(to)].sort().join(" ");
      byEdge.set(edge, [...(byEdge.get(edge) ?? []), [index, from, to]]);
    }
  }
  const borders: Border[] = [];
  for (const sides of byEdge.values()) {
    for (const [one] of sides) for (const [two] of sides) connect(polygons, one, two);
    if (sides.length === 1) borders.push(...sides);
  }
  const compared = borders.slice(0, MAX_BORDERS);
  for (const [index, one] of compared.entries()) {
    if (index % 50 === 0) yield;
    for (const two of compared.slice(index + 1)) {
      if (polygons[one[0]]?.region === polygons[two[0]]?.region) continue;
      if (liesAlong(one, two, margin)) {
        connect(polygons, one[0], two[0]);
        connect(polygons, two[0], one[0]);
      }
    }
  }
}

function connect(polygons: readonly Polygon[], one: number, two: number): void {
  if (one !== two) polygons[one]?.next.add(two);
}

/** Whether a stretch of one edge is within the margin of the other. */
function liesAlong([, a, b]: Border, [, c, d]: Border, margin: number): boolean {
  const length = distance(a, b);
  if (length === 0) return false;
  const along = (point: Point) =>
    point.reduce((sum, part, axis) => sum + (part - (a[axis] ?? 0)) * ((b[axis] ?? 0) - (a[axis] ?? 0)), 0) /
    length ** 2;
  const [start, end] = [along(c), along(d)].sort((one, two) => one - two) as [number, number];
  const [first, last] = [Math.max(0, start), Math.min(1, end)];
  if (last - first <= 1e-6) return false;
  return [first, last].every((share) => fromSegment(between(a, b, share), c, d) <= margin);
}

function between(a: Point, b: Point, share: number): Point {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

function distance(one: Point, two: Point): number {
  return Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

function fromSegment(point: Point, a: Point, b: Point): number {
  const length = distance(a, b);
  if (length === 0) return distance(point, a);
  const share =
    ((point[0] - a[0]) * (b[0] - a[0]) +
      (point[1] - a[1]) * (b[1] - a[1]) +
      (point[2] - a[2]) * (b[2] - a[2])) /
    length ** 2;
  return distance(point, between(a, b, Math.min(1, Math.max(0, share))));
}

function addLink(navigation: Navigation, node: SceneNode, classes: ClassTable): void {
  const { dimension, polygons } = navigation;
  const place = placing(node, dimension, classes);
  const end = (name: string) => {
    const [x = 0, y = 0, z = 0] = numbersOf(node, name) ?? [];
    const at = place?.(x, y, z);
    return at === undefined ? undefined : nearestPolygon(navigation, at, RULES[dimension].linkRadius);
  };
  const [start, goal] = [end("start_position"), end("end_position")];
  if (start === undefined || goal === undefined) return;
  connect(polygons, start, goal);
  if (node.properties.get("bidirectional")?.text !== "false") connect(polygons, goal, start);
}

function nearestPolygon({ dimension, polygons }: Navigation, at: Point, near: number): number | undefined {
  const { tall } = RULES[dimension];
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, { points }] of polygons.entries()) {
    const heights = points.map(([, , height]) => height);
    const above = Math.max(0, at[2] - Math.max(...heights), Math.min(...heights) - at[2]);
    if (above > tall) continue;
    const away = isInside(at, points) ? 0 : borderDistance(at, points);
    if (away > near || away + above >= least) continue;
    best = index;
    least = away + above;
  }
  return best;
}

function isInside([across, along]: Point, points: readonly Point[]): boolean {
  let inside = false;
  for (const [index, [x, y]] of points.entries()) {
    const [toX, toY] = points[(index + 1) % points.length] ?? [x, y];
    if (y > along !== toY > along && across < ((toX - x) * (along - y)) / (toY - y) + x) inside = !inside;
  }
  return inside;
}

/** Measured on the ground: a node above it counts by its feet. */
function borderDistance(at: Point, points: readonly Point[]): number {
  const flat = ([x, y]: Point): Point => [x, y, 0];
  return Math.min(
    ...points.map((from, index) =>
      fromSegment(flat(at), flat(from), flat(points[(index + 1) % points.length] ?? from)),
    ),
  );
}
