import { STEP, type Steps } from "../../formats/document.ts";
import { textField } from "../../formats/scene-text.ts";
import type { ClassTable } from "../../godot/class-table.ts";
import {
  around,
  controlRect,
  globalTransform,
  isA,
  numbersOf,
  overlap,
  type Rect,
  shapeSize,
  subResource,
} from "../../scene-model/geometry.ts";
import { overlap3D, shapeBox } from "../../scene-model/geometry3d.ts";
import {
  type Dimension,
  islands,
  middleOf,
  polygonAt,
  reachable,
  readingNavigation,
} from "../../scene-model/reach.ts";
import { isUnique, isVisible, type SceneNode, walk } from "../../scene-model/scene-tree.ts";
import { referencedPath, type SceneWorld } from "../../scene-model/scene-world.ts";

export const SPATIAL_KINDS = ["collision", "overlap", "off_screen", "unreachable", "no_purpose"] as const;

export interface SpatialProblem {
  readonly kind: (typeof SPATIAL_KINDS)[number];
  readonly node: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The other node of an overlap. */
  readonly with?: string;
}

export interface SceneToCheck {
  readonly root: SceneNode;
  readonly world: SceneWorld;
  /** The window of the game. */
  readonly view: Rect;
  /** Whether something refers to a node: a path, a connection or a script. */
  readonly isNamed: (node: SceneNode) => boolean;
  /** Whether a path leads from a node to others; without them, from every agent to areas and markers. */
  readonly way?: { readonly from: SceneNode; readonly to: readonly SceneNode[] } | undefined;
}

/** Problems that are visible at a glance in the editor, found in the text of the scene. */
export function* checkingSpace(scene: SceneToCheck): Steps<SpatialProblem[]> {
  const nodes = [...walk(scene.root)];
  const found: SpatialProblem[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index % STEP === 0) yield;
    // Problems inside an instance belong to its own scene.
    if (node.inherited || !isVisible(node)) continue;
    found.push(...collisionProblems(node, scene), ...purposeProblems(node, scene));
  }
  yield;
  found.push(...offScreen(nodes, scene));
  found.push(...(yield* overlaps(nodes, scene)));
  for (const dimension of ["2D", "3D"] as const) found.push(...(yield* wayProblems(nodes, dimension, scene)));
  return found;
}

function problem(
  kind: SpatialProblem["kind"],
  node: SceneNode,
  severity: SpatialProblem["severity"],
  message: string,
): SpatialProblem {
  return { kind, node: node.path, severity, message };
}

function collisionProblems(node: SceneNode, { world }: SceneToCheck): SpatialProblem[] {
  const { classes } = world;
  const found: SpatialProblem[] = [];
  for (const dimension of ["2D", "3D"] as const) {
    const isShape = (each: SceneNode) =>
      isA(each, `CollisionShape${dimension}`, classes) || isA(each, `CollisionPolygon${dimension}`, classes);
    const isBody = isA(node, `CollisionObject${dimension}`, classes);
    if (isBody && !node.opaque) {
      const shapes = node.children.filter(isShape);
      const other = dimension === "2D" ? "3D" : "2D";
      const wrong = node.children.find((child) => isA(child, `CollisionShape${other}`, classes));
      if (wrong !== undefined)
        found.push(
          problem(
            "collision",
            node,
            "error",
            `${wrong.path} is of ${other} and its body of ${dimension}, so it is ignored.`,
          ),
        );
      // A script may add shapes.
      if (shapes.length === 0 && node.script === undefined)
        found.push(
          problem(
            "collision",
            node,
            "warning",
            `This ${node.type} has no collision shape, so nothing collides with it.`,
          ),
        );
      if (shapes.length > 0 && shapes.every((shape) => shape.properties.get("disabled")?.text === "true"))
        found.push(problem("collision", node, "warning", "All of its collision shapes are disabled."));
      const layers = ["collision_layer", "collision_mask"].map((name) => node.properties.get(name)?.text);
      if (layers.every((value) => value === "0"))
        found.push(problem("collision", node, "warning", "Its collision layer and mask are both empty."));
    }
    if (!isShape(node)) continue;
    if (
      node.parent !== undefined &&
      !isA(node.parent, `CollisionObject${dimension}`, classes) &&
      node.parent.type !== undefined
    )
      found.push(
        problem(
          "collision",
          node,
          "error",
          `Its parent is a ${node.parent.type}, not a body or area of ${dimension}, so it is ignored.`,
        ),
      );
    if (isA(node, `CollisionShape${dimension}`, classes)) {
      const held = node.properties.get("shape");
      if (held === undefined || held.text === "null") {
        if (!named(node)) found.push(problem("collision", node, "error", "It has no shape."));
      } else {
        const block = subResource(node, "shape");
        const path = referencedPath(held.file, held.text);
        const type = block === undefined ? path && world.resource(path)?.type : textField(block, "type");
        if (type !== undefined && classes.has(type) && !classes.inherits(type, `Shape${dimension}`))
          found.push(
            problem("collision", node, "error", `Its shape is a ${type}, not a shape of ${dimension}.`),
          );
      }
    }
    const scale = numbersOf(node, "scale");
    if (scale !== undefined && new Set(scale.map((part) => Math.abs(part))).size > 1)
      found.push(
        problem(
          "collision",
          node,
          "warning",
          "It is scaled by different amounts, which physics does not support; change the size of its shape.",
        ),
      );
  }
  return found;

  function named(shape: SceneNode): boolean {
    // Its own script or its body's may set the shape.
    return shape.script !== undefined || shape.parent?.script !== undefined;
  }
}

/** Properties that a class requires to show, play or do anything. */
const NEEDS: readonly (readonly [type: string, property: string, what: string])[] = [
  ["Sprite2D", "texture", "no texture"],
  ["Sprite3D", "texture", "no texture"],
  ["TextureRect", "texture", "no texture"],
  ["AnimatedSprite2D", "sprite_frames", "no sprite frames"],
  ["AnimatedSprite3D", "sprite_frames", "no sprite frames"],
  ["MeshInstance2D", "mesh", "no mesh"],
  ["MeshInstance3D", "mesh", "no mesh"],
  ["MultiMeshInstance3D", "multimesh", "no multimesh"],
  ["AudioStreamPlayer", "stream", "no stream"],
  ["AudioStreamPlayer2D", "stream", "no stream"],
  ["AudioStreamPlayer3D", "stream", "no stream"],
  ["Path2D", "curve", "no curve"],
  ["Path3D", "curve", "no curve"],
  ["NavigationRegion2D", "navigation_polygon", "no navigation polygon"],
  ["NavigationRegion3D", "navigation_mesh", "no navigation mesh"],
  ["TileMapLayer", "tile_set", "no tile set"],
  ["GridMap", "mesh_library", "no mesh library"],
  ["GPUParticles2D", "process_material", "no process material"],
  ["GPUParticles3D", "process_material", "no process material"],
  ["WorldEnvironment", "environment", "no environment"],
];

const PLAIN = new Set(["Node", "Node2D", "Node3D", "Control", "CanvasLayer"]);

function purposeProblems(node: SceneNode, { world: { classes }, isNamed }: SceneToCheck): SpatialProblem[] {
  if (node.script !== undefined || node.instance !== undefined || isNamed(node)) return [];
  if (node.parent === undefined || isUnique(node)) return [];
  if (PLAIN.has(node.type ?? "") && node.children.length === 0 && node.groups.length === 0)
    return [
      problem(
        "no_purpose",
        node,
        "warning",
        `This ${node.type} has no children, script or group, and nothing names it.`,
      ),
    ];
  const missing = NEEDS.find(
    ([type, property]) =>
      isA(node, type, classes) && (node.properties.get(property)?.text ?? "null") === "null",
  );
  return missing === undefined
    ? []
    : [
        problem(
          "no_purpose",
          node,
          "warning",
          `It has ${missing[2]}, and nothing names it, so nobody sets one.`,
        ),
      ];
}

/** A node of unknown size counts as off the screen only if it is far away. */
const MARGIN = 128;

function offScreen(
  nodes: readonly SceneNode[],
  { world: { classes }, view }: SceneToCheck,
): SpatialProblem[] {
  const hasCamera = nodes.some((node) => isA(node, "Camera2D", classes));
  return nodes.flatMap((node): SpatialProblem[] => {
    if (node.inherited || node.properties.get("visible")?.text === "false") return [];
    if (isA(node, "Control", classes)) {
      const rect = controlRect(node, view, classes);
      if (rect === undefined || node.parent === undefined || touches(rect, view)) return [];
      return [
        problem(
          "off_screen",
          node,
          "warning",
          `It is outside of the window of ${view.width}×${view.height}: ${shown(rect)}.`,
        ),
      ];
    }
    const isDrawn =
      isA(node, "Sprite2D", classes) || isA(node, "AnimatedSprite2D", classes) || isA(node, "Label", classes);
    if (hasCamera || !isDrawn) return [];
    const { e, f } = globalTransform(node, classes);
    const near: Rect = {
      x: view.x - MARGIN,
      y: view.y - MARGIN,
      width: view.width + 2 * MARGIN,
      height: view.height + 2 * MARGIN,
    };
    return touches({ x: e, y: f, width: 0, height: 0 }, near)
      ? []
      : [
          problem(
            "off_screen",
            node,
            "warning",
            `It is at ${Math.round(e)}, ${Math.round(f)}, far outside of the window of ${view.width}×${view.height}, and the scene has no Camera2D.`,
          ),
        ];
  });
}

function touches(one: Rect, two: Rect): boolean {
  return (
    one.x <= two.x + two.width &&
    two.x <= one.x + one.width &&
    one.y <= two.y + two.height &&
    two.y <= one.y + one.height
  );
}

function shown({ x, y, width, height }: Rect): string {
  return `${Math.round(x)}, ${Math.round(y)}, ${Math.round(width)}×${Math.round(height)}`;
}

/** Touching shapes, such as the tiles of a floor, are fine. */
const LEAST_OVERLAP = 2;
/** Each is compared with those that begin before it ends. */
const MAX_OVERLAPS = 200;

function* overlaps(
  nodes: readonly SceneNode[],
  { world: { classes }, view }: SceneToCheck,
): Steps<SpatialProblem[]> {
  const shapes = nodes.flatMap((node) => {
    const body = node.parent;
    if (!isA(node, "CollisionShape2D", classes) || body === undefined) return [];
    if (!isA(body, "PhysicsBody2D", classes) || node.properties.get("disabled")?.text === "true") return [];
    const size = shapeSize(node);
    return size === undefined
      ? []
      : [{ node: body, rect: around(globalTransform(node, classes), size.width, size.height) }];
  });
  const controls = nodes.flatMap((node) => {
    const isPressed =
      isA(node, "BaseButton", classes) || isA(node, "LineEdit", classes) || isA(node, "Slider", classes);
    const rect =
      isPressed && node.properties.get("visible")?.text !== "false"
        ? controlRect(node, view, classes)
        : undefined;
    return rect === undefined ? [] : [{ node, rect }];
  });
  return [
    ...(yield* pairs(shapes, "Two bodies stand in each other")),
    ...(yield* pairs(controls, "Two controls cover each other, so a click reaches only one")),
    ...(yield* overlaps3D(nodes, classes)),
  ];
}

/** In meters. */
const LEAST_OVERLAP_3D = 0.02;

function* overlaps3D(nodes: readonly SceneNode[], classes: ClassTable): Steps<SpatialProblem[]> {
  const boxes = nodes
    .flatMap((node) => {
      const body = node.parent;
      if (!isA(node, "CollisionShape3D", classes) || body === undefined) return [];
      if (!isA(body, "PhysicsBody3D", classes) || node.properties.get("disabled")?.text === "true") return [];
      const box = shapeBox(node, classes);
      return box === undefined ? [] : [{ node: body, box }];
    })
    .sort((one, two) => one.box.least[0] - two.box.least[0]);
  const found: SpatialProblem[] = [];
  for (const [index, one] of boxes.entries()) {
    if (index % 50 === 0) yield;
    for (let next = index + 1; next < boxes.length && found.length < MAX_OVERLAPS; next++) {
      const two = boxes[next];
      if (two === undefined || two.box.least[0] >= one.box.most[0]) break;
      const depth = overlap3D(one.box, two.box);
      if (one.node === two.node || depth < LEAST_OVERLAP_3D) continue;
      if (one.node.inherited && two.node.inherited) continue;
      found.push({
        ...problem(
          "overlap",
          one.node,
          "warning",
          `Two bodies stand in each other, by ${depth.toFixed(2)} metres.`,
        ),
        with: two.node.path,
      });
    }
  }
  return found;
}

/** Nodes that the baked navigation does not reach. If a part of it is not in the text, none is reported. */
function* wayProblems(
  nodes: readonly SceneNode[],
  dimension: Dimension,
  { world: { classes }, way }: SceneToCheck,
): Steps<SpatialProblem[]> {
  const navigation = yield* readingNavigation(nodes, dimension, classes);
  const found = navigation.empty
    .filter((region) => !region.inherited && isBakedByHand(region, dimension))
    .map((region) =>
      problem(
        "unreachable",
        region,
        "warning",
        "Nothing is baked for it: use godot_content navigation.bake.",
      ),
    );
  if (navigation.polygons.length === 0 || navigation.isPartial) return found;
  const agents = nodes.flatMap((node) =>
    isA(node, `NavigationAgent${dimension}`, classes) && node.parent !== undefined ? [node.parent] : [],
  );
  const starts = way === undefined ? agents : [way.from];
  const goals =
    way?.to ??
    (agents.length === 0
      ? []
      : nodes.filter(
          (node) =>
            !node.inherited &&
            (isA(node, `Area${dimension}`, classes) || isA(node, `Marker${dimension}`, classes)),
        ));
  const isHere = (node: SceneNode) => isA(node, `Node${dimension}`, classes);
  const known = starts.filter(isHere).map((node) => ({ node, at: polygonAt(navigation, node, classes) }));
  for (const { node, at } of known)
    if (at === undefined)
      found.push(
        problem(
          "unreachable",
          node,
          way === undefined ? "warning" : "error",
          "It is not on the navigation mesh.",
        ),
      );
  yield;
  const reached = known.flatMap(({ node, at }) =>
    at === undefined ? [] : [{ node, polygons: reachable(navigation, at) }],
  );
  for (const goal of goals.filter(isHere)) {
    const at = polygonAt(navigation, goal, classes);
    const lost = reached.filter(
      ({ node, polygons }) => node !== goal && (at === undefined || !polygons.has(at)),
    );
    const [first] = lost;
    if (first === undefined || (way === undefined && lost.length < reached.length)) continue;
    found.push({
      ...problem(
        "unreachable",
        goal,
        way === undefined ? "warning" : "error",
        at === undefined
          ? "It is not on the navigation mesh, so no way leads to it."
          : `No way leads to it from ${first.node.path}.`,
      ),
      with: first.node.path,
    });
  }
  if (way !== undefined) return found;
  for (const part of islands(navigation).slice(1, MAX_ISLANDS)) {
    const region = navigation.polygons[part[0] ?? 0]?.region;
    const [x, y] = middleOf(navigation, part);
    if (region !== undefined && !region.inherited)
      found.push(
        problem(
          "unreachable",
          region,
          "warning",
          `A part of its navigation, around ${Math.round(x * 10) / 10}, ${Math.round(y * 10) / 10}, is not connected with the largest one.`,
        ),
      );
  }
  return found;
}

const MAX_ISLANDS = 20;

/** A script may bake it when the game runs. */
function isBakedByHand(region: SceneNode, dimension: Dimension): boolean {
  const property = dimension === "2D" ? "navigation_polygon" : "navigation_mesh";
  const held = region.properties.get(property)?.text ?? "null";
  return region.script === undefined && held !== "null";
}

function* pairs(
  items: readonly { readonly node: SceneNode; readonly rect: Rect }[],
  message: string,
): Steps<SpatialProblem[]> {
  const sorted = [...items].sort((one, two) => one.rect.x - two.rect.x);
  const found: SpatialProblem[] = [];
  for (const [index, one] of sorted.entries()) {
    if (index % 50 === 0) yield;
    for (let next = index + 1; next < sorted.length && found.length < MAX_OVERLAPS; next++) {
      const two = sorted[next];
      if (two === undefined || two.rect.x >= one.rect.x + one.rect.width) break;
      const depth = overlap(one.rect, two.rect);
      if (one.node === two.node || depth < LEAST_OVERLAP || (one.node.inherited && two.node.inherited))
        continue;
      found.push({
        ...problem("overlap", one.node, "warning", `${message}, by ${Math.round(depth)} pixels.`),
        with: two.node.path,
      });
    }
  }
  return found;
}
