import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { writeVariant } from "../formats/variant.ts";
import { plainValuesOnly, type ValueCode, variantOf } from "./json-to-variant.ts";
import type { SceneNode } from "./scene-tree.ts";
import type { SceneWorld } from "./scene-world.ts";
import { numbersOf, tidy, transformJson, transformOf } from "./transform3d.ts";

/**
 * Returns the properties that keep a node's global transform when it moves to another parent: undefined if they do
 * not change, "unknown" if only the engine can compute them.
 */
export function keptTransform(
  world: SceneWorld,
  node: SceneNode,
  parent: SceneNode,
): JsonObject | "unknown" | undefined {
  const space = spaceOf(world, node);
  const before = space && node.parent && globalOf(world, node.parent, space);
  const after = space && globalOf(world, parent, space);
  const local = space?.read(node);
  if (space === undefined || before === undefined || after === undefined) return undefined;
  if (before === "unknown" || after === "unknown" || local === undefined) return "unknown";
  const inverse = same(before, after) ? undefined : inverted(after);
  return inverse === undefined ? undefined : space.write(times(inverse, times(before, local)));
}

/** Converts a global position to the `position` of a node; fails if the files do not show the transforms above it. */
export function localPosition(
  world: SceneWorld,
  node: SceneNode | undefined,
  json: Json,
): Result<JsonObject, ValueCode> {
  const space = node && spaceOf(world, node);
  const isFlat = space === FLAT;
  const fits = variantOf(json, isFlat ? "Vector2" : "Vector3", PLAIN);
  if (!fits.ok) return fits;
  const given = numbersOf(writeVariant(fits.value)) ?? [];
  const above = node?.parent && space && globalOf(world, node.parent, space);
  const isOnTop = node?.properties.get("top_level")?.text === "true";
  const inverse =
    above === undefined || isOnTop ? space?.identity : above === "unknown" ? undefined : inverted(above);
  if (space === undefined || inverse === undefined)
    return errors.fail(
      "E_UNSUPPORTED",
      "The files do not tell where the nodes above it are, or one of them has no size.",
      {
        details: { unsupportedBy: "files" },
        suggestedFix: "Set position, which is relative to the parent, or let Godot do it.",
      },
    );
  const [x = 0, y = 0, z = 0] = times(inverse, { columns: [], origin: given }).origin.map(tidy);
  return ok({ position: isFlat ? { x, y } : { x, y, z } });
}

const PLAIN = plainValuesOnly(() =>
  errors.fail("E_SCHEMA_VALIDATION", "A position is neither a resource nor a node."),
);

/** Columns of a linear map, and the image of the origin. */
interface Affine {
  readonly columns: readonly (readonly number[])[];
  readonly origin: readonly number[];
}

interface Space {
  /** Nodes of this class pass their transform to their children. */
  readonly className: string;
  readonly identity: Affine;
  readonly read: (node: SceneNode) => Affine | undefined;
  readonly write: (transform: Affine) => JsonObject;
}

function spaceOf({ classes }: SceneWorld, { type }: SceneNode): Space | undefined {
  if (type === undefined) return undefined;
  if (classes.inherits(type, "Node2D")) return FLAT;
  return classes.inherits(type, "Node3D") ? SOLID : undefined;
}

/** The transform from the start of the chain of such nodes; `unknown` if the files do not show it. */
function globalOf(world: SceneWorld, node: SceneNode, space: Space): Affine | "unknown" {
  const { classes } = world;
  if (node.type === undefined) return "unknown";
  if (!classes.inherits(node.type, space.className))
    return space === FLAT && classes.inherits(node.type, "CanvasItem") ? "unknown" : space.identity;
  const own = space.read(node);
  if (own === undefined) return "unknown";
  if (node.parent === undefined || node.properties.get("top_level")?.text === "true") return own;
  const above = globalOf(world, node.parent, space);
  return above === "unknown" ? above : times(above, own);
}

const FLAT: Space = {
  className: "Node2D",
  identity: {
    columns: [
      [1, 0],
      [0, 1],
    ],
    origin: [0, 0],
  },
  read(node) {
    const position = numbers(node, "position") ?? [0, 0];
    const scale = numbers(node, "scale") ?? [1, 1];
    const rotation = numbers(node, "rotation")?.[0] ?? 0;
    const skew = numbers(node, "skew")?.[0] ?? 0;
    const [sx = 1, sy = 1] = scale;
    const upright = rotation + skew;
    return {
      columns: [
        [Math.cos(rotation) * sx, Math.sin(rotation) * sx],
        [-Math.sin(upright) * sy, Math.cos(upright) * sy],
      ],
      origin: position,
    };
  },
  write({ columns, origin }) {
    const [[ax = 1, ay = 0] = [], [bx = 0, by = 1] = []] = columns;
    const sign = Math.sign(ax * by - ay * bx) || 1;
    const sx = Math.hypot(ax, ay);
    const sy = sign * Math.hypot(bx, by);
    const skew = Math.acos(clamp((ax * bx + ay * by) / (sx * sy) || 0)) - Math.PI / 2;
    const [x = 0, y = 0] = origin;
    return {
      position: { x: tidy(x), y: tidy(y) },
      rotation: tidy(Math.atan2(ay, ax)),
      scale: { x: tidy(sx), y: tidy(sy) },
      skew: tidy(skew),
    };
  },
};

const SOLID: Space = {
  className: "Node3D",
  identity: {
    columns: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    origin: [0, 0, 0],
  },
  read: (node) => transformOf((name) => node.properties.get(name)?.text),
  write({ columns, origin }) {
    const vector = ([x = 0, y = 0, z = 0]: readonly number[]) => [x, y, z] as const;
    const [x = [], y = [], z = []] = columns;
    return {
      transform: transformJson({ columns: [vector(x), vector(y), vector(z)], origin: vector(origin) }),
    };
  },
};

function numbers(node: SceneNode, name: string): number[] | undefined {
  return numbersOf(node.properties.get(name)?.text);
}

function times(a: Affine, b: Affine): Affine {
  const apply = (vector: readonly number[]) =>
    a.origin.map((_, row) =>
      vector.reduce((sum, value, column) => sum + (a.columns[column]?.[row] ?? 0) * value, 0),
    );
  return {
    columns: b.columns.map(apply),
    origin: apply(b.origin).map((value, row) => value + (a.origin[row] ?? 0)),
  };
}

function inverted({ columns, origin }: Affine): Affine | undefined {
  const size = origin.length;
  // Gauss–Jordan on the matrix next to the identity.
  const rows = Array.from({ length: size }, (_, row) => [
    ...columns.map((column) => column[row] ?? 0),
    ...Array.from({ length: size }, (_, column) => (row === column ? 1 : 0)),
  ]);
  for (let pivot = 0; pivot < size; pivot++) {
    const best = rows
      .slice(pivot)
      .reduce(
        (at, row, i) => (Math.abs(row[pivot] ?? 0) > Math.abs(rows[at]?.[pivot] ?? 0) ? pivot + i : at),
        pivot,
      );
    const lead = rows[best];
    const other = rows[pivot];
    const divisor = lead?.[pivot] ?? 0;
    if (lead === undefined || other === undefined || Math.abs(divisor) < 1e-12) return undefined;
    rows[best] = other;
    rows[pivot] = lead.map((value) => value / divisor);
    for (const [index, row] of rows.entries()) {
      const factor = row[pivot] ?? 0;
      if (index !== pivot)
        rows[index] = row.map((value, column) => value - factor * (rows[pivot]?.[column] ?? 0));
    }
  }
  const linear: Affine = {
    columns: Array.from({ length: size }, (_, column) => rows.map((row) => row[size + column] ?? 0)),
    origin: origin.map(() => 0),
  };
  return { ...linear, origin: times(linear, { columns: [], origin }).origin.map((value) => -value) };
}

function same(a: Affine, b: Affine): boolean {
  const flat = ({ columns, origin }: Affine) => [...columns.flat(), ...origin];
  const other = flat(b);
  return flat(a).every((value, index) => Math.abs(value - (other[index] ?? 0)) < 1e-6);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(-1, value));
}
