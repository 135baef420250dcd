import { assignmentsOf, type Block, textField } from "../formats/scene-text.ts";
import { parseVariant } from "../formats/variant.ts";
import { globalTransform, isA, numbersOf, subResource } from "./geometry.ts";
import { type Box, globalTransform3D, moved, type Vector3 } from "./geometry3d.ts";
import { type SceneNode, walk } from "./scene-tree.ts";
import { referencedPath, type SceneWorld } from "./scene-world.ts";

/** Image sizes by path. */
export type PictureSizes = ReadonlyMap<string, { readonly width: number; readonly height: number }>;

/** Whether a node is placed in 2D, in 3D or in neither. */
export function spaceOf(node: SceneNode, { classes }: SceneWorld): "2D" | "3D" | undefined {
  if (isA(node, "Node3D", classes)) return "3D";
  return isA(node, "Node2D", classes) ? "2D" : undefined;
}

/** The upright box around everything that a node and its descendants draw and collide with, if the files show it. */
export function boxOf(node: SceneNode, world: SceneWorld, pictures: PictureSizes): Box | undefined {
  const parts = [...walk(node)].flatMap((each) => partOf(each, world, pictures) ?? []);
  return parts.length === 0 ? undefined : parts.reduce(union);
}

/** The boxes of the collision shapes of bodies, each with its body. */
export function solidBoxes(
  root: SceneNode,
  world: SceneWorld,
): readonly { readonly body: SceneNode; readonly box: Box }[] {
  return [...walk(root)].flatMap((node) => {
    const body = node.parent;
    const { classes } = world;
    const isSolid =
      body !== undefined &&
      (isA(body, "PhysicsBody2D", classes) || isA(body, "PhysicsBody3D", classes)) &&
      node.properties.get("disabled")?.text !== "true";
    const box = isSolid && /^Collision/.test(node.type ?? "") ? partOf(node, world, new Map()) : undefined;
    return body === undefined || box === undefined ? [] : [{ body, box }];
  });
}

function union(one: Box, two: Box): Box {
  const each = (pick: (...values: number[]) => number, side: "least" | "most"): Vector3 => [
    pick(one[side][0], two[side][0]),
    pick(one[side][1], two[side][1]),
    pick(one[side][2], two[side][2]),
  ];
  return { least: each(Math.min, "least"), most: each(Math.max, "most") };
}

/** Closely spaced points along a Path2D or Path3D in the scene. */
export function pathPoints(node: SceneNode, world: SceneWorld): readonly Vector3[] | undefined {
  const space = spaceOf(node, world);
  const place = space && placing(node, space, world);
  const block = resourceOf(node, "curve", world)?.block;
  const data = block && assignmentsOf(block).find(({ name }) => name === "_data")?.value;
  const list = /"points":\s*PackedVector[23]Array\(([^)]*)\)/.exec(data ?? "")?.[1];
  if (place === undefined || list === undefined) return undefined;
  const numbers = list.split(",").map(Number);
  const size = space === "2D" ? 2 : 3;
  const vectors = Array.from({ length: Math.floor(numbers.length / size) }, (_, at): Vector3 => {
    const [x = 0, y = 0, z = 0] = numbers.slice(at * size, at * size + size);
    return [x, y, z];
  });
  // Each point is its in-handle, its out-handle, and its position.
  const stops = Array.from({ length: Math.floor(vectors.length / 3) }, (_, at) => {
    const [before, after, own] = vectors.slice(at * 3, at * 3 + 3) as [Vector3, Vector3, Vector3];
    return { own, before: sum(own, before), after: sum(own, after) };
  });
  return stops.flatMap((from, index) => {
    const to = stops[index + 1];
    if (to === undefined) return [place(from.own)];
    return Array.from({ length: CURVE_STEPS }, (_, step) =>
      place(bezier([from.own, from.after, to.before, to.own], step / CURVE_STEPS)),
    );
  });
}

const CURVE_STEPS = 24;

function sum(one: Vector3, two: Vector3): Vector3 {
  return [one[0] + two[0], one[1] + two[1], one[2] + two[2]];
}

function bezier([a, b, c, d]: readonly [Vector3, Vector3, Vector3, Vector3], at: number): Vector3 {
  const rest = 1 - at;
  const mix = (axis: 0 | 1 | 2) =>
    rest ** 3 * a[axis] + 3 * rest ** 2 * at * b[axis] + 3 * rest * at ** 2 * c[axis] + at ** 3 * d[axis];
  return [mix(0), mix(1), mix(2)];
}

/** Converts a position inside a node to scene coordinates. */
function placing(
  node: SceneNode,
  space: "2D" | "3D",
  { classes }: SceneWorld,
): ((point: Vector3) => Vector3) | undefined {
  if (space === "2D") {
    const { a, b, c, d, e, f } = globalTransform(node, classes);
    return ([x, y]) => [a * x + c * y + e, b * x + d * y + f, 0];
  }
  const at = globalTransform3D(node, classes);
  return at && ((point) => moved(at, point));
}

function partOf(node: SceneNode, world: SceneWorld, pictures: PictureSizes): Box | undefined {
  const space = spaceOf(node, world);
  const own = space && (space === "2D" ? flatBox(node, world, pictures) : solidBox(node, world));
  const place = own && space && placing(node, space, world);
  if (own === undefined || place === undefined) return undefined;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((bits): Box => {
    const side = (axis: 0 | 1 | 2) => (bits & (1 << axis) ? own.most : own.least)[axis];
    const corner = place([side(0), side(1), side(2)]);
    return { least: corner, most: corner };
  });
  return corners.reduce(union);
}

function centered([x, y, z]: Vector3): Box {
  return { least: [-x / 2, -y / 2, -z / 2], most: [x / 2, y / 2, z / 2] };
}

/** The box around a collision shape, a primitive mesh or a CSG shape, relative to its origin. */
function solidBox(node: SceneNode, world: SceneWorld): Box | undefined {
  const type = node.type ?? "";
  if (type.startsWith("CSG")) {
    const value = (name: string) => numbersOf(node, name);
    return solidSize(type, value);
  }
  const held = resourceOf(node, type.startsWith("Collision") ? "shape" : "mesh", world);
  if (held === undefined) return undefined;
  const values = new Map(assignmentsOf(held.block).map(({ name, value }) => [name, numbersIn(value)]));
  return solidSize(held.type, (name) => values.get(name));
}

function solidSize(type: string, value: (name: string) => readonly number[] | undefined): Box | undefined {
  const [radius = 0.5] = value("radius") ?? [];
  const [width, second, third] = value("size") ?? [];
  switch (type) {
    case "BoxShape3D":
    case "BoxMesh":
    case "PrismMesh":
    case "CSGBox3D":
      return centered([width ?? 1, second ?? 1, third ?? 1]);
    case "SphereMesh":
      return centered([2 * radius, value("height")?.[0] ?? 1, 2 * radius]);
    case "SphereShape3D":
    case "CSGSphere3D":
      return centered([2 * radius, 2 * radius, 2 * radius]);
    case "CapsuleShape3D":
    case "CapsuleMesh":
    case "CylinderShape3D":
    case "CSGCylinder3D":
      return centered([2 * radius, value("height")?.[0] ?? 2, 2 * radius]);
    case "CylinderMesh": {
      const widest = Math.max(value("top_radius")?.[0] ?? 0.5, value("bottom_radius")?.[0] ?? 0.5);
      return centered([2 * widest, value("height")?.[0] ?? 2, 2 * widest]);
    }
    case "PlaneMesh":
      return centered([width ?? 2, 0, second ?? 2]);
    case "QuadMesh":
      return centered([width ?? 1, second ?? 1, 0]);
    case "WorldBoundaryShape3D":
      return centered([ENDLESS, 0, ENDLESS]);
    default:
      return undefined;
  }
}

/** An infinite floor. */
const ENDLESS = 1e6;

function flatBox(node: SceneNode, world: SceneWorld, pictures: PictureSizes): Box | undefined {
  const { classes } = world;
  if (isA(node, "CollisionShape2D", classes)) return flatShape(resourceOf(node, "shape", world));
  if (isA(node, "Polygon2D", classes) || isA(node, "CollisionPolygon2D", classes))
    return aroundPoints(numbersOf(node, "polygon") ?? [], numbersOf(node, "offset"));
  if (isA(node, "Sprite2D", classes)) {
    const held = node.properties.get("texture");
    const path = held && referencedPath(held.file, held.text);
    const [, , regionWidth, regionHeight] = numbersOf(node, "region_rect") ?? [];
    const isRegion = node.properties.get("region_enabled")?.text === "true";
    const whole =
      isRegion && regionWidth !== undefined && regionHeight !== undefined
        ? { width: regionWidth, height: regionHeight }
        : path === undefined
          ? undefined
          : pictures.get(path);
    if (whole === undefined) return undefined;
    const width = whole.width / (numbersOf(node, "hframes")?.[0] ?? 1);
    const height = whole.height / (numbersOf(node, "vframes")?.[0] ?? 1);
    const [x = 0, y = 0] = numbersOf(node, "offset") ?? [];
    const isCentered = node.properties.get("centered")?.text !== "false";
    const [left, top] = isCentered ? [x - width / 2, y - height / 2] : [x, y];
    return { least: [left, top, 0], most: [left + width, top + height, 0] };
  }
  return undefined;
}

function flatShape(held: HeldResource | undefined): Box | undefined {
  if (held === undefined) return undefined;
  const values = new Map(assignmentsOf(held.block).map(({ name, value }) => [name, numbersIn(value)]));
  const [radius = 10] = values.get("radius") ?? [];
  switch (held.type) {
    case "RectangleShape2D": {
      const [width = 20, height = 20] = values.get("size") ?? [];
      return centered([width, height, 0]);
    }
    case "CircleShape2D":
      return centered([2 * radius, 2 * radius, 0]);
    case "CapsuleShape2D":
      return centered([2 * radius, values.get("height")?.[0] ?? 30, 0]);
    case "SegmentShape2D":
      return aroundPoints([...(values.get("a") ?? [0, 0]), ...(values.get("b") ?? [0, 10])]);
    case "ConvexPolygonShape2D":
      return aroundPoints(values.get("points") ?? []);
    case "WorldBoundaryShape2D":
      return centered([ENDLESS, 0, 0]);
    default:
      return undefined;
  }
}

function aroundPoints(numbers: readonly number[], [dx = 0, dy = 0]: readonly number[] = []): Box | undefined {
  const points = Array.from({ length: Math.floor(numbers.length / 2) }, (_, at): Box => {
    const point: Vector3 = [(numbers[at * 2] ?? 0) + dx, (numbers[at * 2 + 1] ?? 0) + dy, 0];
    return { least: point, most: point };
  });
  return points.length === 0 ? undefined : points.reduce(union);
}

interface HeldResource {
  readonly type: string;
  readonly block: Block;
}

/** The resource of a property, in the scene or in a separate file. */
function resourceOf(node: SceneNode, property: string, world: SceneWorld): HeldResource | undefined {
  const inside = subResource(node, property);
  if (inside !== undefined) return { type: textField(inside, "type") ?? "", block: inside };
  const held = node.properties.get(property);
  const path = held && referencedPath(held.file, held.text);
  const file = path === undefined ? undefined : world.resourceText(path);
  const [block] = file?.tagged("resource") ?? [];
  const type = file?.head && textField(file.head, "type");
  return block === undefined || type === undefined ? undefined : { type, block };
}

function numbersIn(text: string): readonly number[] {
  const parsed = parseVariant(text);
  if (!parsed.ok) return [];
  const parts = parsed.value.kind === "call" ? parsed.value.args : [parsed.value];
  return parts.map((part) => (part.kind === "number" ? Number(part.text) : 0));
}
