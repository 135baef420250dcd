import { assignmentsOf, textField } from "../formats/scene-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { ClassTable } from "../godot/class-table.ts";
import { isA, subResource } from "./geometry.ts";
import type { SceneNode } from "./scene-tree.ts";
import { type Transform3D, transformOf } from "./transform3d.ts";

export type Vector3 = readonly [x: number, y: number, z: number];

/** An upright box. */
export interface Box {
  readonly least: Vector3;
  readonly most: Vector3;
}

/** The transform of a 3D node in the scene; undefined if only the engine could compute it. */
export function globalTransform3D(node: SceneNode, classes: ClassTable): Transform3D | undefined {
  let joined: Transform3D | undefined;
  for (let at: SceneNode | undefined = node; at !== undefined; at = at.parent) {
    if (!isA(at, "Node3D", classes)) break;
    const { properties } = at;
    const own = transformOf((name) => properties.get(name)?.text);
    if (own === undefined) return undefined;
    joined = joined === undefined ? own : inside(own, joined);
    if (properties.get("top_level")?.text === "true") break;
  }
  return joined;
}

export function moved({ columns: [x, y, z], origin }: Transform3D, [a, b, c]: Vector3): Vector3 {
  const part = (index: 0 | 1 | 2) => x[index] * a + y[index] * b + z[index] * c + origin[index];
  return [part(0), part(1), part(2)];
}

function inside(outer: Transform3D, inner: Transform3D): Transform3D {
  const turned = { columns: outer.columns, origin: [0, 0, 0] as Vector3 };
  const [x, y, z] = inner.columns;
  return {
    columns: [moved(turned, x), moved(turned, y), moved(turned, z)],
    origin: moved(outer, inner.origin),
  };
}

/** The smallest upright box around a collision shape; undefined if the text does not show its size. */
export function shapeBox(node: SceneNode, classes: ClassTable): Box | undefined {
  const size = shapeSize3D(node);
  const at = globalTransform3D(node, classes);
  if (size === undefined || at === undefined) return undefined;
  const reach = (axis: 0 | 1 | 2) =>
    at.columns.reduce((sum, column, side) => sum + (Math.abs(column[axis]) * (size[side] ?? 0)) / 2, 0);
  const half = [reach(0), reach(1), reach(2)] as const;
  const corner = (sign: 1 | -1): Vector3 => [
    at.origin[0] + sign * half[0],
    at.origin[1] + sign * half[1],
    at.origin[2] + sign * half[2],
  ];
  return { least: corner(-1), most: corner(1) };
}

/** The overlap of two boxes in all directions; 0 if they only touch. */
export function overlap3D(one: Box, two: Box): number {
  const depths = ([0, 1, 2] as const).map(
    (axis) => Math.min(one.most[axis], two.most[axis]) - Math.max(one.least[axis], two.least[axis]),
  );
  return Math.max(0, Math.min(...depths));
}

function shapeSize3D(node: SceneNode): Vector3 | undefined {
  const block = subResource(node, "shape");
  if (block === undefined) return undefined;
  const values = new Map(assignmentsOf(block).map(({ name, value }) => [name, numbersIn(value)]));
  const [radius = 0.5] = values.get("radius") ?? [];
  const [height = 2] = values.get("height") ?? [];
  switch (textField(block, "type")) {
    case "BoxShape3D": {
      const [x = 1, y = 1, z = 1] = values.get("size") ?? [];
      return [x, y, z];
    }
    case "SphereShape3D":
      return [2 * radius, 2 * radius, 2 * radius];
    case "CapsuleShape3D":
    case "CylinderShape3D":
      return [2 * radius, height, 2 * radius];
    default:
      return undefined;
  }
}

function numbersIn(text: string): readonly number[] {
  const parsed = parseVariant(text);
  if (!parsed.ok) return [];
  const parts = parsed.value.kind === "call" ? parsed.value.args : [parsed.value];
  return parts.map((part) => (part.kind === "number" ? Number(part.text) : 0));
}
