import type { JsonObject } from "@toolpact/contract";
import { parseVariant } from "../formats/variant.ts";

/** The transform of a 3D node: the columns of its basis, and its origin. */
export interface Transform3D {
  readonly columns: readonly [Vector, Vector, Vector];
  readonly origin: Vector;
}

type Vector = readonly [x: number, y: number, z: number];

/** Properties of a 3D node that Godot stores only in its transform. */
export const SPATIAL = ["position", "rotation", "scale", "basis"] as const;

export type Spatial = (typeof SPATIAL)[number];

export function isSpatial(name: string): name is Spatial {
  return SPATIAL.some((known) => known === name);
}

/**
 * The transform that results from a node's lines: `transform`, then other properties in order. Undefined if only the
 * engine could compute it.
 */
export function transformOf(textOf: (property: string) => string | undefined): Transform3D | undefined {
  if (textOf("quaternion") !== undefined || textOf("rotation_order") !== undefined) return undefined;
  let transform = IDENTITY;
  const numbers = numbersOf(textOf("transform"));
  // The basis is written row by row.
  if (numbers !== undefined) transform = { columns: columnsOf(numbers), origin: vectorOf(numbers.slice(9)) };
  for (const name of SPATIAL) {
    const text = textOf(name);
    if (numbersOf(text) !== undefined && text !== undefined) transform = withSpatial(transform, name, text);
  }
  return transform;
}

export function spatialJson(transform: Transform3D, name: Spatial): JsonObject {
  if (name === "basis") return basisJson(transform.columns);
  return vectorJson(
    name === "position" ? transform.origin : name === "scale" ? scaleOf(transform) : rotationOf(transform),
  );
}

export function withSpatial(transform: Transform3D, name: Spatial, text: string): Transform3D {
  const numbers = numbersOf(text) ?? [];
  return name === "basis"
    ? { ...transform, columns: columnsOf(numbers) }
    : withVector(transform, name, vectorOf(numbers));
}

export function transformJson({ columns, origin }: Transform3D): JsonObject {
  return { basis: basisJson(columns), origin: vectorJson(origin) };
}

const IDENTITY: Transform3D = {
  columns: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  origin: [0, 0, 0],
};

function withVector(
  transform: Transform3D,
  name: "position" | "rotation" | "scale",
  vector: Vector,
): Transform3D {
  if (name === "position") return { ...transform, origin: vector };
  const rotation = name === "rotation" ? vector : rotationOf(transform);
  const scale = name === "scale" ? vector : scaleOf(transform);
  const [x, y, z] = turned(rotation);
  return { ...transform, columns: [times(x, scale[0]), times(y, scale[1]), times(z, scale[2])] };
}

/** Godot's default order: about Y, then X, then Z. */
function turned([ax, ay, az]: Vector): Transform3D["columns"] {
  const [sx, cx, sy, cy, sz, cz] = [ax, ay, az].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return [
    [cy * cz + sy * sx * sz, cx * sz, -sy * cz + cy * sx * sz],
    [-cy * sz + sy * sx * cz, cx * cz, sy * sz + cy * sx * cz],
    [sy * cx, -sx, cy * cx],
  ];
}

function rotationOf(transform: Transform3D): Vector {
  const scale = scaleOf(transform);
  const [x, y, z] = transform.columns.map((column, index) => times(column, 1 / (scale[index] || 1))) as [
    Vector,
    Vector,
    Vector,
  ];
  const sine = -z[1];
  // Straight up or down, one of the two other angles is arbitrary.
  if (Math.abs(sine) > 1 - 1e-7)
    return [(Math.sign(sine) * Math.PI) / 2, Math.atan2(Math.sign(sine) * y[0], x[0]), 0];
  return [Math.asin(sine), Math.atan2(z[0], z[2]), Math.atan2(x[1], y[1])];
}

function scaleOf({ columns: [x, y, z] }: Transform3D): Vector {
  const determinant =
    x[0] * (y[1] * z[2] - y[2] * z[1]) -
    y[0] * (x[1] * z[2] - x[2] * z[1]) +
    z[0] * (x[1] * y[2] - x[2] * y[1]);
  const sign = determinant < 0 ? -1 : 1;
  return [sign * Math.hypot(...x), sign * Math.hypot(...y), sign * Math.hypot(...z)];
}

function times([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor];
}

function columnsOf(rows: readonly number[]): Transform3D["columns"] {
  const column = (index: number): Vector => [rows[index] ?? 0, rows[index + 3] ?? 0, rows[index + 6] ?? 0];
  return [column(0), column(1), column(2)];
}

function vectorOf([x = 0, y = 0, z = 0]: readonly number[]): Vector {
  return [x, y, z];
}

function vectorJson([x, y, z]: Vector): JsonObject {
  return { x: tidy(x), y: tidy(y), z: tidy(z) };
}

function basisJson([x, y, z]: Transform3D["columns"]): JsonObject {
  return { x: vectorJson(x), y: vectorJson(y), z: vectorJson(z) };
}

/** Rounds to the precision of the engine's 32 bits. */
export function tidy(value: number): number {
  const short = Number(value.toPrecision(7));
  return Math.abs(short) < 1e-6 ? 0 : short;
}

/** The numbers of a value, such as the three of a vector. */
export function numbersOf(text: string | undefined): number[] | undefined {
  const parsed = text === undefined ? undefined : parseVariant(text);
  if (parsed === undefined || !parsed.ok) return undefined;
  const parts = parsed.value.kind === "call" ? parsed.value.args : [parsed.value];
  return parts.map((part) => (part.kind === "number" ? Number(part.text) : 0));
}
