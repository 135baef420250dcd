import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import type { SceneEdit, Tile } from "../../operations/scene-edit.ts";
import { isErased } from "../../scene-model/undrawn-tiles.ts";

/** Anchors of a control: left, top, right and bottom as parts of the parent's size. */
const ANCHORS = {
  full: [0, 0, 1, 1],
  top_left: [0, 0, 0, 0],
  top: [0.5, 0, 0.5, 0],
  top_right: [1, 0, 1, 0],
  left: [0, 0.5, 0, 0.5],
  center: [0.5, 0.5, 0.5, 0.5],
  right: [1, 0.5, 1, 0.5],
  bottom_left: [0, 1, 0, 1],
  bottom: [0.5, 1, 0.5, 1],
  bottom_right: [1, 1, 1, 1],
  top_wide: [0, 0, 1, 0],
  bottom_wide: [0, 1, 1, 1],
  left_wide: [0, 0, 0, 1],
  right_wide: [1, 0, 1, 1],
} as const;

type Layout = keyof typeof ANCHORS;

// The table has rows.
const LAYOUTS = Object.keys(ANCHORS) as [Layout, ...Layout[]];

/** A control of an interface, with the controls inside it. */
interface Element {
  readonly type: string;
  readonly name?: string | undefined;
  readonly layout?: Layout | undefined;
  readonly properties?: JsonObject | undefined;
  readonly children?: readonly Element[] | undefined;
}

export const element: z.ZodType<Element> = z.lazy(() =>
  z.strictObject({
    type: z.string(),
    name: z.string().optional(),
    layout: z.enum(LAYOUTS).optional(),
    properties,
    children: z.array(element).optional(),
  }),
);

export function controlOf({ layout, properties, children = [], ...control }: Element): NodeSpec {
  return {
    ...control,
    properties: { ...(layout && layoutProperties(layout)), ...properties },
    children: children.map(controlOf),
  };
}

/** The anchors of a layout, which also make a control grow away from its edge. */
function layoutProperties(layout: Layout): JsonObject {
  const [left, top, right, bottom] = ANCHORS[layout];
  const grow = (from: number, to: number) => (from === to ? (from === 1 ? 0 : from === 0 ? 1 : 2) : 2);
  return {
    anchor_left: left,
    anchor_top: top,
    anchor_right: right,
    anchor_bottom: bottom,
    grow_horizontal: grow(left, right),
    grow_vertical: grow(top, bottom),
  };
}

/** A node to be created with its descendants. */
export interface NodeSpec {
  readonly type?: string | undefined;
  /** A scene to instance instead of a class. */
  readonly source?: string | undefined;
  readonly name?: string | undefined;
  readonly properties?: JsonObject | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly script?: string | undefined;
  readonly primitive?: string | undefined;
  readonly children?: readonly NodeSpec[] | undefined;
}

// Arguments are JSON.
const properties = z
  .looseObject({})
  .transform((given) => given as JsonObject)
  .optional();

export const nodeSpec: z.ZodType<NodeSpec> = z.lazy(() =>
  z.strictObject({
    type: z.string().optional(),
    source: z.string().optional(),
    name: z.string().optional(),
    properties,
    groups: z.array(z.string()).optional(),
    script: z.string().optional(),
    primitive: z.string().optional(),
    children: z.array(nodeSpec).optional(),
  }),
);

/** The edits that create a node and its descendants, each with a unique label. */
export function editsFor(
  spec: NodeSpec,
  place: { readonly parent?: string | undefined; readonly index?: number | undefined },
  label = "n",
): SceneEdit[] {
  const own = primitiveOf(spec);
  const properties = own === undefined ? spec.properties : { ...own, ...spec.properties };
  const shared = {
    ...(place.parent !== undefined && { parent: place.parent }),
    ...(place.index !== undefined && { index: place.index }),
    ...(spec.name !== undefined && { name: spec.name }),
    ...(properties !== undefined && { properties }),
    as: label,
  };
  const made: SceneEdit[] =
    spec.source === undefined
      ? [
          {
            kind: "add",
            type: spec.type ?? "Node",
            ...shared,
            ...(spec.groups !== undefined && { groups: spec.groups }),
            ...(spec.script !== undefined && { script: spec.script }),
          },
        ]
      : [
          { kind: "instance", source: spec.source, ...shared },
          ...(spec.groups ?? []).map(
            (group): SceneEdit => ({ kind: "group", node: `$${label}`, group, member: true }),
          ),
          ...(spec.script === undefined
            ? []
            : [{ kind: "script", node: `$${label}`, script: spec.script } satisfies SceneEdit]),
        ];
  const children = [...(own === undefined ? primitiveParts(spec) : []), ...(spec.children ?? [])];
  return [
    ...made,
    ...children.flatMap((child, index) => editsFor(child, { parent: `$${label}` }, `${label}_${index}`)),
  ];
}

interface Primitive {
  readonly shape?: string;
  readonly mesh?: string;
}

const SOLID: Readonly<Record<string, Primitive>> = {
  box: { shape: "BoxShape3D", mesh: "BoxMesh" },
  sphere: { shape: "SphereShape3D", mesh: "SphereMesh" },
  capsule: { shape: "CapsuleShape3D", mesh: "CapsuleMesh" },
  cylinder: { shape: "CylinderShape3D", mesh: "CylinderMesh" },
  plane: { shape: "WorldBoundaryShape3D", mesh: "PlaneMesh" },
};

const FLAT: Readonly<Record<string, Primitive>> = {
  rect: { shape: "RectangleShape2D" },
  circle: { shape: "CircleShape2D" },
  capsule: { shape: "CapsuleShape2D" },
  segment: { shape: "SegmentShape2D" },
};

export const PRIMITIVES = [...new Set([...Object.keys(SOLID), ...Object.keys(FLAT)])];

/** The primitive as a property, for a node that is a collision shape or a mesh itself. */
function primitiveOf({ primitive = "", type = "Node" }: NodeSpec): JsonObject | undefined {
  const { shape, mesh } = partsOf(type, primitive);
  if (/^CollisionShape[23]D$/.test(type) && shape !== undefined) return { shape: { resource: shape } };
  if (type === "MeshInstance3D" && mesh !== undefined) return { mesh: { resource: mesh } };
  return undefined;
}

function partsOf(type: string, primitive: string): Primitive {
  return (type.endsWith("3D") ? SOLID : FLAT)[primitive] ?? {};
}

/** The children that a body needs to collide and, in 3D, to be visible. */
function primitiveParts({ primitive, type = "Node", name = type }: NodeSpec): NodeSpec[] {
  if (primitive === undefined) return [];
  const solid = type.endsWith("3D");
  const parts = partsOf(type, primitive);
  const of = (resource: string): JsonObject => ({ resource });
  return [
    ...(parts.mesh === undefined
      ? []
      : [{ type: "MeshInstance3D", name: `${name}_Mesh`, properties: { mesh: of(parts.mesh) } }]),
    ...(parts.shape === undefined
      ? []
      : [
          {
            type: solid ? "CollisionShape3D" : "CollisionShape2D",
            name: solid ? `${name}_Collider` : `${name}_Collider2D`,
            properties: { shape: of(parts.shape) },
          },
        ]),
  ];
}

/**
 * The nodes with their primitives checked. A collision shape works only in a body or an area, so a node that is neither
 * gets a body for it.
 */
export async function withBodies(spec: NodeSpec): Promise<Result<NodeSpec, "E_SCHEMA_VALIDATION">> {
  const { type = "Node", name = type, primitive, ...rest } = spec;
  const children: NodeSpec[] = [];
  for (const child of spec.children ?? []) {
    const checked = await withBodies(child);
    if (!checked.ok) return checked;
    children.push(checked.value);
  }
  if (primitive === undefined) return ok({ ...spec, ...(children.length > 0 && { children }) });
  const space = type.endsWith("3D") ? "3D" : "2D";
  const known = Object.keys(space === "3D" ? SOLID : FLAT);
  if (!known.includes(primitive))
    return errors.fail("E_SCHEMA_VALIDATION", `There is no ${primitive} for a ${type}.`, {
      details: { primitives: known },
    });
  const classes = await loadClassTable();
  const holdsShapes = !classes.has(type) || classes.inherits(type, `CollisionObject${space}`);
  if (holdsShapes || primitiveOf(spec) !== undefined) return ok({ ...spec, children });
  const body = { type: `StaticBody${space}`, name: `${name}_Body`, primitive };
  return ok({ ...rest, type, ...(spec.name !== undefined && { name }), children: [body, ...children] });
}

/** A layer with a single-atlas tile set, which gets the tiles that the cells use. */
export function tilemap(
  name: string,
  parent: string | undefined,
  texture: string | undefined,
  size: { x: number; y: number } | undefined,
  cells: readonly Tile[],
): SceneEdit[] {
  const tileSize = size ?? { x: 16, y: 16 };
  const painted = cells.filter((cell) => !isErased(cell));
  const used = new Set(painted.map(({ atlas }) => `${atlas?.x ?? 0}:${atlas?.y ?? 0}/0`));
  const atlas: Record<string, Json> = { texture_region_size: tileSize };
  if (texture !== undefined) atlas.texture = texture;
  for (const tile of used) atlas[tile] = 0;
  const tileSet: JsonObject = {
    resource: "TileSet",
    properties: {
      tile_size: tileSize,
      ...(texture !== undefined && { "sources/0": { resource: "TileSetAtlasSource", properties: atlas } }),
    },
  };
  return [
    {
      kind: "add",
      type: "TileMapLayer",
      name,
      ...(parent !== undefined && { parent }),
      properties: { tile_set: tileSet },
      as: "map",
    },
    ...(cells.length === 0 ? [] : [{ kind: "tiles", node: "$map", cells } satisfies SceneEdit]),
  ];
}
