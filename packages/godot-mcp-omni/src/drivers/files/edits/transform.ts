import type { Failure, Json, JsonObject } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import { errors } from "../../../errors.ts";
import { writeVariant } from "../../../formats/variant.ts";
import { type ValueCode, variantOf } from "../json-to-variant.ts";
import type { SceneEditing } from "../scene-editing.ts";
import type { SceneNode } from "../scene-tree.ts";
import { type PropertyContext, setProperties } from "../set-properties.ts";
import { numbersOf, tidy, transformJson, transformOf } from "../transform3d.ts";
import { NO_RESOURCES } from "./connect.ts";

/**
 * Prepares the move of a node to another parent so that it keeps its global transform. Returns the step to take once
 * the move is done.
 */
export function keepGlobalTransform(editing: SceneEditing, node: SceneNode, parent: SceneNode): () => void {
  const space = spaceOf(editing, node);
  const before = space && node.parent && globalOf(editing, node.parent, space);
  const after = space && globalOf(editing, parent, space);
  const local = space?.read(node);
  if (space === undefined || before === undefined || after === undefined) return nothing;
  if (before === "unknown" || after === "unknown" || local === undefined) {
    editing.warnings.push(
      `Whether "${node.path}" stays where it is could not be worked out from the files; its own transform was kept.`,
    );
    return nothing;
  }
  const inverse = same(before, after) ? undefined : inverted(after);
  if (inverse === undefined) return nothing;
  const properties = space.write(times(inverse, times(before, local)));
  return () => {
    const block = editing.linesOf(node);
    // Every node of this kind has these properties, and the numbers fit.
    setProperties(editing.holderOf(node, block), properties, editing.contextFor(node));
  };
}

function nothing(): void {}

/** The `position` of a node that a position in the scene means, or why the files do not tell. */
export function localPosition(
  { node, world }: Pick<PropertyContext, "node" | "world">,
  json: Json,
): Outcome<JsonObject, Failure<ValueCode>> {
  const space = node && spaceOf({ world }, node);
  const isFlat = space === FLAT;
  const fits = variantOf(json, isFlat ? "Vector2" : "Vector3", NO_RESOURCES);
  if (!fits.ok) return fits;
  const given = numbersOf(writeVariant(fits.value)) ?? [];
  const above = node?.parent && space && globalOf({ world }, node.parent, space);
  const isOnTop = node?.properties.get("top_level")?.text === "true";
  const inverse =
    above === undefined || isOnTop ? space?.identity : above === "unknown" ? undefined : inverted(above);
  if (space === undefined || inverse === undefined)
    return errors.fail(
      "E_UNSUPPORTED",
      "The files do not tell where the nodes above it are, or one of them has no size.",
      {
        details: { unsupportedBy: "files" },
        suggestedFix: "Set position, which is relative to the parent, or let a Godot do it.",
      },
    );
  const [x = 0, y = 0, z = 0] = times(inverse, { columns: [], origin: given }).origin.map(tidy);
  return ok({ position: isFlat ? { x, y } : { x, y, z } });
}

/** Columns of a linear map, and where it puts the origin. */
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

function spaceOf(
  { world: { classes } }: Pick<SceneEditing, "world">,
  { type }: SceneNode,
): Space | undefined {
  if (type === undefined) return undefined;
  if (classes.inherits(type, "Node2D")) return FLAT;
  return classes.inherits(type, "Node3D") ? SOLID : undefined;
}

/** The transform from the start of the chain of such nodes; `unknown` where the files do not show it. */
function globalOf(editing: Pick<SceneEditing, "world">, node: SceneNode, space: Space): Affine | "unknown" {
  const { classes } = editing.world;
  if (node.type === undefined) return "unknown";
  if (!classes.inherits(node.type, space.className))
    return space === FLAT && classes.inherits(node.type, "CanvasItem") ? "unknown" : space.identity;
  const own = space.read(node);
  if (own === undefined) return "unknown";
  if (node.parent === undefined || node.properties.get("top_level")?.text === "true") return own;
  const above = globalOf(editing, node.parent, space);
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
  // Gauss–Jordan on the matrix beside the identity.
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
