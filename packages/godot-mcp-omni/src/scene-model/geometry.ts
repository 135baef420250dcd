import { textField } from "../formats/scene-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { ClassTable } from "../godot/class-table.ts";
import type { SceneNode } from "./scene-tree.ts";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The transform of a 2D node: `x' = a x + c y + e`, `y' = b x + d y + f`. */
export interface Transform {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

const IDENTITY: Transform = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

export function numbersOf(node: SceneNode, property: string): readonly number[] | undefined {
  const held = node.properties.get(property);
  if (held === undefined) return undefined;
  const parsed = parseVariant(held.text);
  if (!parsed.ok) return undefined;
  const parts = parsed.value.kind === "call" ? parsed.value.args : [parsed.value];
  const numbers = parts.map((part) => (part.kind === "number" ? Number(part.text) : Number.NaN));
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

function numberOf(node: SceneNode, property: string, otherwise: number): number {
  return numbersOf(node, property)?.[0] ?? otherwise;
}

/** The transform of a 2D node in the scene. */
export function globalTransform(node: SceneNode, classes: ClassTable): Transform {
  const chain: SceneNode[] = [];
  for (let at: SceneNode | undefined = node; at !== undefined; at = at.parent) {
    if (!isA(at, "Node2D", classes)) break;
    chain.unshift(at);
    if (at.properties.get("top_level")?.text === "true") break;
  }
  return chain.map(ownTransform).reduce(joined, IDENTITY);
}

function ownTransform(node: SceneNode): Transform {
  const [x = 0, y = 0] = numbersOf(node, "position") ?? [];
  const [width = 1, height = 1] = numbersOf(node, "scale") ?? [];
  const angle = numberOf(node, "rotation", 0);
  const skew = numberOf(node, "skew", 0);
  return {
    a: Math.cos(angle) * width,
    b: Math.sin(angle) * width,
    c: -Math.sin(angle + skew) * height,
    d: Math.cos(angle + skew) * height,
    e: x,
    f: y,
  };
}

function joined(one: Transform, two: Transform): Transform {
  return {
    a: one.a * two.a + one.c * two.b,
    b: one.b * two.a + one.d * two.b,
    c: one.a * two.c + one.c * two.d,
    d: one.b * two.c + one.d * two.d,
    e: one.a * two.e + one.c * two.f + one.e,
    f: one.b * two.e + one.d * two.f + one.f,
  };
}

/** The smallest upright rectangle around one that is centered on the origin and then transformed. */
export function around({ a, b, c, d, e, f }: Transform, width: number, height: number): Rect {
  const w = Math.abs(a) * width + Math.abs(c) * height;
  const h = Math.abs(b) * width + Math.abs(d) * height;
  return { x: e - w / 2, y: f - h / 2, width: w, height: h };
}

/** The rectangle of a Control from its anchors and offsets; undefined if a container or a font determines it. */
export function controlRect(node: SceneNode, view: Rect, classes: ClassTable): Rect | undefined {
  const { parent } = node;
  if (parent !== undefined && isA(parent, "Container", classes)) return undefined;
  const within =
    parent !== undefined && isA(parent, "Control", classes)
      ? controlRect(parent, view, classes)
      : parent !== undefined && isA(parent, "Node2D", classes)
        ? undefined
        : view;
  if (within === undefined) return undefined;
  const side = (name: string) => numberOf(node, `anchor_${name}`, 0);
  const offset = (name: string) => numberOf(node, `offset_${name}`, 0);
  const x = within.x + within.width * side("left") + offset("left");
  const y = within.y + within.height * side("top") + offset("top");
  const [least = 0, low = 0] = numbersOf(node, "custom_minimum_size") ?? [];
  return {
    x,
    y,
    width: Math.max(within.x + within.width * side("right") + offset("right") - x, least),
    height: Math.max(within.y + within.height * side("bottom") + offset("bottom") - y, low),
  };
}

/** The size of a 2D collision shape around its center; undefined if the text does not show it. */
export function shapeSize(node: SceneNode): { width: number; height: number } | undefined {
  const block = subResource(node, "shape");
  if (block === undefined) return undefined;
  const value = (name: string, otherwise: readonly number[]) => {
    const found = block.body.find((part) => part.kind === "assignment" && part.name === name);
    const parsed = found?.kind === "assignment" ? parseVariant(found.value) : undefined;
    if (parsed === undefined || !parsed.ok) return otherwise;
    const parts = parsed.value.kind === "call" ? parsed.value.args : [parsed.value];
    return parts.map((part) => (part.kind === "number" ? Number(part.text) : 0));
  };
  const [radius = 10] = value("radius", [10]);
  switch (textField(block, "type")) {
    case "RectangleShape2D": {
      const [width = 20, height = 20] = value("size", [20, 20]);
      return { width, height };
    }
    case "CircleShape2D":
      return { width: radius * 2, height: radius * 2 };
    case "CapsuleShape2D": {
      const [height = 30] = value("height", [30]);
      return { width: radius * 2, height };
    }
    default:
      return undefined;
  }
}

/** The resource inside the scene that a property holds. */
export function subResource(node: SceneNode, property: string) {
  const held = node.properties.get(property);
  const id = /^SubResource\("([^"]*)"\)$/.exec(held?.text ?? "")?.[1];
  return id === undefined
    ? undefined
    : held?.file.tagged("sub_resource").find((block) => textField(block, "id") === id);
}

export function isA(node: SceneNode, type: string, classes: ClassTable): boolean {
  return node.type !== undefined && classes.inherits(node.type, type);
}

/** The overlap of two rectangles in both directions; 0 if they only touch. */
export function overlap(one: Rect, two: Rect): number {
  const x = Math.min(one.x + one.width, two.x + two.width) - Math.max(one.x, two.x);
  const y = Math.min(one.y + one.height, two.y + two.height) - Math.max(one.y, two.y);
  return Math.max(0, Math.min(x, y));
}
